import type { PanelTable } from "@framework/core/feature";
import type { ActionReport, PanelReport } from "../src/messages.ts";
import { askTexts } from "./ask.ts";
import { call } from "./connection.ts";
import { element, setText } from "./element.ts";
import { liveTable, type LiveRow } from "./live-table.ts";
import { showResult } from "./show-result.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

const DETAILS_MS = 1000;

interface Chosen {
  readonly worker: string | null;
  readonly row: string;
}

/** A feature's panel, of all workers. */
export const panelView = (store: Store, name: string): View => {
  let open: Chosen | null = null;
  const title = element("h2");
  const note = element("p", { class: "quiet" });
  const tools = element("div", { class: "tools" });
  const table = liveTable("Rows");
  const detail = element("section", { "aria-label": "Details", hidden: true });
  const act = async (action: ActionReport, of: Chosen | null): Promise<void> => {
    const texts = action.fields.length === 0 ? {} : await askTexts(action);
    if (texts === null) return;
    const request = { do: "act", panel: name, action: action.name, row: of?.row ?? null, texts } as const;
    const outcome = await call(request, of?.worker ?? null);
    if (!outcome.ok) showResult(outcome.message, false);
    else
      showResult(
        "message" in outcome ? (outcome.message ?? `${action.label}: done`) : `${action.label}: done`,
        true,
      );
    void loadDetails();
  };
  const loadDetails = async (): Promise<void> => {
    const requested = open;
    if (requested === null) return;
    const outcome = await call({ do: "details", panel: name, row: requested.row }, requested.worker);
    if (open !== requested) return;
    detail.hidden = false;
    if (!outcome.ok) detail.replaceChildren(element("p", { class: "bad" }, outcome.message));
    else if ("tables" in outcome) paintTables(detail, requested.row, outcome.tables);
  };
  const choose = (chosen: Chosen) => (): void => {
    const isOpen = open?.row === chosen.row && open.worker === chosen.worker;
    open = isOpen ? null : chosen;
    detail.hidden = true;
    detail.replaceChildren();
    void loadDetails();
    update();
  };
  const update = (): void => {
    const reports = store.panel(name);
    const [first] = reports;
    if (first === undefined) return setText(note, "No worker publishes this panel");
    const report = first[1];
    setText(title, report.title);
    setText(note, report.content.note ?? "");
    note.hidden = report.content.note === undefined;
    paintTools(tools, report, (action) => void act(action, null));
    const several = reports.length > 1;
    const rows = reports.flatMap(([worker, { content, actions, hasDetails }]) =>
      content.rows.map((row): LiveRow => {
        const chosen = { worker: worker === "" ? null : worker, row: row.id };
        const allowed = actions.filter(
          (action) => action.on === "row" && (row.actions?.includes(action.name) ?? true),
        );
        return {
          id: `${worker} ${row.id}`,
          cells: [...row.cells.map(cellOf), ...(several ? [worker] : [])],
          isOpen: open?.row === chosen.row && open.worker === chosen.worker,
          ...(hasDetails && { open: choose(chosen) }),
          ...(actions.some(({ on }) => on === "row") && {
            actions: allowed.map((action) => ({ label: action.label, run: () => void act(action, chosen) })),
          }),
        };
      }),
    );
    table.root.hidden = rows.length === 0;
    table.update([...report.content.columns, ...(several ? ["Worker"] : [])], rows);
  };
  const timer = setInterval(() => void loadDetails(), DETAILS_MS);
  const root = element(
    "div",
    {},
    title,
    note,
    tools,
    element("div", { class: "split" }, element("div", {}, table.root), detail),
  );
  return { root, update, close: () => clearInterval(timer) };
};

const cellOf = (cell: string | number | boolean | null): string | number => {
  if (cell === null) return "–";
  return typeof cell === "boolean" ? (cell ? "yes" : "no") : cell;
};

const paintTools = (
  tools: HTMLElement,
  { actions }: PanelReport,
  act: (action: ActionReport) => void,
): void => {
  const wanted = actions.filter(({ on }) => on === "panel");
  const key = JSON.stringify(wanted);
  if (tools.dataset["key"] === key) return;
  tools.dataset["key"] = key;
  tools.replaceChildren(
    ...wanted.map((action) => element("button", { type: "button", click: () => act(action) }, action.label)),
  );
};

const paintTables = (
  container: HTMLElement,
  row: string,
  tables: readonly (PanelTable & { readonly title: string })[],
): void => {
  const key = JSON.stringify(tables);
  if (container.dataset["key"] === key && container.childElementCount > 0) return;
  container.dataset["key"] = key;
  container.replaceChildren(
    element("h3", {}, row),
    ...tables.flatMap(({ title, columns, rows }) => {
      const table = liveTable(title);
      table.update(
        columns,
        rows.map(({ id, cells }) => ({ id, cells: cells.map(cellOf) })),
      );
      return [
        element("h4", {}, title),
        rows.length === 0 ? element("p", { class: "quiet" }, "None") : table.root,
      ];
    }),
  );
};
