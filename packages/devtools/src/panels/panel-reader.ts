import {
  type HostInsight,
  messageOf,
  type Panel,
  type PanelAction,
  type PanelCell,
  type PanelContent,
  type PanelTable,
  textOf,
} from "@framework/core/feature";
import { scrub } from "../requests/scrub.ts";
import type { ActionReport, PanelReport } from "../messages.ts";
import { snapshotPanels } from "./snapshot-panel.ts";

/** Maximum number of rows of a panel on the page. */
export const MAX_ROWS = 200;
const MAX_COLUMNS = 20;
const MAX_ID = 400;

/** Reads the panels of an app: the panels that features publish, and one for every other snapshot. */
export class PanelReader {
  private readonly insight: Pick<HostInsight, "panels" | "snapshots">;
  /** Panels that are being read. */
  private readonly busy: Set<string> = new Set();

  constructor(insight: Pick<HostInsight, "panels" | "snapshots">) {
    this.insight = insight;
  }

  find(name: string): Panel | undefined {
    return this.insight.panels().find((panel) => panel.name === name);
  }

  /** Reads every panel of the scopes, and calls `done` for each as soon as it is read. Skips panels whose previous read has not ended. */
  read(scopes: readonly ("worker" | "service")[], done: (panel: PanelReport) => void): void {
    const panels = this.insight.panels();
    const all = [
      ...panels,
      ...snapshotPanels(this.insight.snapshots, new Set(panels.map(({ name }) => name))),
    ];
    for (const panel of all) {
      if (!scopes.includes(panel.scope ?? "service") || this.busy.has(panel.name)) continue;
      this.busy.add(panel.name);
      void this.readOne(panel, done);
    }
  }

  private async readOne(panel: Panel, done: (panel: PanelReport) => void): Promise<void> {
    const content = await contentOf(panel);
    this.busy.delete(panel.name);
    done(report(panel, content));
  }
}

const contentOf = async (panel: Panel): Promise<PanelContent> => {
  try {
    const content = await panel.read();
    const omitted = content.rows.length - MAX_ROWS;
    const notes = [content.note, omitted > 0 ? `${omitted} more rows are not shown` : undefined];
    const note = notes.filter((text) => text !== undefined).join(". ");
    return { ...safeTable(content), ...(note !== "" && { note: scrub(note) }) };
  } catch (error) {
    return { columns: [], rows: [], note: scrub(`The panel could not be read: ${messageOf(error)}`) };
  }
};

/** Returns a table of bounded size without secrets. */
export const safeTable = ({ columns, rows }: PanelTable): PanelTable => ({
  columns: columns.slice(0, MAX_COLUMNS).map(scrub),
  rows: rows.slice(0, MAX_ROWS).map(({ id, cells, actions }) => ({
    id: id.slice(0, MAX_ID),
    cells: cells.slice(0, MAX_COLUMNS).map(safeCell),
    ...(actions !== undefined && { actions }),
  })),
});

/** An untyped feature may publish other values, such as a bigint, which JSON cannot represent. */
const safeCell = (cell: unknown): PanelCell => {
  if (cell === undefined) return null;
  if (cell === null || typeof cell === "number" || typeof cell === "boolean") return cell;
  return scrub(typeof cell === "bigint" ? String(cell) : textOf(cell));
};

const report = (panel: Panel, content: PanelContent): PanelReport => ({
  name: panel.name,
  title: panel.title,
  scope: panel.scope ?? "service",
  content,
  actions: (panel.actions ?? []).map(actionReport),
  hasDetails: panel.details !== undefined,
});

const actionReport = ({ name, label, on, fields = [] }: PanelAction): ActionReport => ({
  name,
  label,
  on,
  fields: fields.map((field) => ({ value: "", options: [], ...field })),
});
