import { FrameworkError } from "@framework/core";
import { memberOf, withAppDatabase } from "../app/operated-app.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import type { CommandInput } from "../frame/given.ts";
import { table } from "../frame/table.ts";
import { styled } from "../frame/text.ts";
import { UsageError } from "../frame/usage-error.ts";
import { fieldLines } from "./field-lines.ts";

/** `app.saga`: the members that this command uses. */
interface Sagas extends Record<
  Decision,
  (id: string, decision: { readonly reason: string; readonly output?: unknown }) => Promise<boolean>
> {
  list(filter: object): Promise<{ readonly sagas: readonly Instance[]; readonly next: string | null }>;
  get(id: string): Promise<object | null>;
  timeline(id: string): Promise<readonly Change[]>;
}

type Decision = "retry" | "skip" | "settle" | "cancel";

interface Instance {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly status: string;
  readonly updatedAt: number;
  readonly error: { readonly message: string } | null;
}

interface Change {
  readonly at: number;
  readonly event: string;
  readonly status: string;
  readonly step: string | null;
  readonly note: string | null;
}

const decisions: readonly string[] = ["retry", "skip", "settle", "cancel"] satisfies readonly Decision[];

export const operateSagas: RunCommand = async (given, { cwd }) =>
  withAppDatabase(given.text("app"), cwd, (app) => {
    const sagas = memberOf<Sagas>(app, "saga", "sagas", "enableSaga");
    const action = given.argument("action") ?? "list";
    if (action === "list") return list(sagas, given);
    if (action === "get") return show(sagas, idOf(given));
    if (action === "timeline") return timeline(sagas, idOf(given));
    if (decisions.includes(action)) return decide(sagas, action as Decision, given);
    throw new UsageError(
      `sagas has no action ${JSON.stringify(action)}: list, get, timeline, ${decisions.join(", ")}`,
    );
  });

const idOf = (given: CommandInput): string => {
  const id = given.argument("id");
  if (id === undefined) throw new UsageError(`sagas ${given.argument("action")} needs an id`);
  return id;
};

const unknownInstance = (id: string): FrameworkError =>
  new FrameworkError("CLI_NO_ITEM", `there is no saga with the id ${id}`);

const list = async (sagas: Sagas, given: CommandInput): Promise<Outcome> => {
  const found = await sagas.list({
    name: given.text("name"),
    status: given.text("status"),
    key: given.text("key"),
    limit: given.number("limit"),
  });
  const rows = found.sagas.map(({ id, name, key, status, updatedAt, error }) => [
    styled("bold", id),
    name,
    key,
    status,
    new Date(updatedAt).toISOString(),
    error?.message ?? "",
  ]);
  return {
    ok: true,
    data: found,
    lines: [
      ...(rows.length === 0 ? [] : table(["ID", "SAGA", "KEY", "STATUS", "CHANGED", "ERROR"], rows)),
      styled("dim", `${rows.length} sagas${found.next === null ? "" : ", and more"}`),
    ],
  };
};

const show = async (sagas: Sagas, id: string): Promise<Outcome> => {
  const found = await sagas.get(id);
  if (found === null) throw unknownInstance(id);
  return { ok: true, data: found, lines: fieldLines(found) };
};

const timeline = async (sagas: Sagas, id: string): Promise<Outcome> => {
  const changes = await sagas.timeline(id);
  if (changes.length === 0) throw unknownInstance(id);
  const rows = changes.map(({ at, event, status, step, note }) => [
    new Date(at).toISOString(),
    event,
    status,
    step ?? "",
    note ?? "",
  ]);
  return { ok: true, data: { changes }, lines: table(["AT", "EVENT", "STATUS", "STEP", "NOTE"], rows) };
};

const decide = async (sagas: Sagas, decision: Decision, given: CommandInput): Promise<Outcome> => {
  const id = idOf(given);
  const reason = given.text("reason");
  if (reason === undefined) throw new UsageError(`sagas ${decision} needs --reason, for the timeline`);
  const output = outputOf(decision, given);
  if (!(await sagas[decision](id, { reason, output }))) throw unknownInstance(id);
  return { ok: true, data: { id, decision }, lines: [`${decision} of saga ${id} is recorded`] };
};

/** Returns the output of the settled step; `undefined` if none is given. */
const outputOf = (decision: Decision, given: CommandInput): unknown => {
  const text = given.text("output");
  if (text === undefined) return undefined;
  if (decision !== "settle") throw new UsageError(`sagas ${decision} takes no --output; only settle does`);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--output must be JSON, such as '"paid"' or '{ "paid": 7 }'`); // the parser's message would only repeat the text
  }
};
