import { FrameworkError } from "@framework/core";
import { messageOf, type Panel } from "@framework/core/feature";
import { scrub } from "../requests/scrub.ts";
import type { Call, Outcome } from "../messages.ts";
import { type PanelReader, safeTable } from "./panel-reader.ts";

const MAX_TEXT = 10_000;
const MAX_TABLES = 10;

/** Runs a call of a page; errors become outcomes. */
export const runCall = async (panels: PanelReader, call: Call): Promise<Outcome> => {
  try {
    const panel = panels.find(call.panel);
    if (panel === undefined) throw noAction(`There is no panel ${call.panel}`);
    return call.do === "act" ? await act(panel, call) : await details(panel, call.row);
  } catch (error) {
    return failedOutcome(error);
  }
};

/** Returns an error as the outcome of a call. */
export const failedOutcome = (error: unknown): Outcome => {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return { ok: false, code: typeof code === "string" ? code : "", message: scrub(messageOf(error)) };
};

const act = async (panel: Panel, call: Extract<Call, { do: "act" }>): Promise<Outcome> => {
  const action = panel.actions?.find(({ name }) => name === call.action);
  if (action === undefined || (action.on === "row") !== (call.row !== null))
    throw noAction(`The panel ${panel.name} has no such action`);
  const texts = (action.fields ?? []).map(
    ({ name }) => [name, (call.texts[name] ?? "").slice(0, MAX_TEXT)] as const,
  );
  const message = await action.run(call.row, Object.fromEntries(texts));
  return { ok: true, message: message === undefined ? null : scrub(message) };
};

const details = async (panel: Panel, row: string): Promise<Outcome> => {
  if (panel.details === undefined) throw noAction(`The panel ${panel.name} has no details`);
  const tables = await panel.details(row);
  return {
    ok: true,
    tables: tables.slice(0, MAX_TABLES).map((table) => ({ title: scrub(table.title), ...safeTable(table) })),
  };
};

const noAction = (message: string): FrameworkError => new FrameworkError("DEVTOOLS_NO_ACTION", message);
