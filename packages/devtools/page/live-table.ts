import { element, setText } from "./element.ts";

/** A row to show. Rows with the same `id` reuse their elements, to keep focus and selection. */
export interface LiveRow {
  readonly id: string;
  readonly cells: readonly (string | number)[];
  /** Class of each cell. */
  readonly classes?: readonly string[];
  readonly isOpen?: boolean;
  /** Called when the first cell is pressed. @default the first cell is text */
  readonly open?: () => void;
  readonly actions?: readonly { readonly label: string; readonly run: () => void }[];
}

/** A table that is updated in place. */
export interface LiveTable {
  readonly root: HTMLElement;
  update(columns: readonly string[], rows: readonly LiveRow[]): void;
}

/** Creates a table. @param name label for screen readers */
export const liveTable = (name: string): LiveTable => {
  const head = element("tr");
  const body = element("tbody");
  const root = element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    element("table", {}, element("thead", {}, head), body),
  );
  const shown = new Map<string, { readonly tr: HTMLTableRowElement; row: LiveRow }>();
  const run = (id: string, pick: (row: LiveRow) => (() => void) | undefined) => () => {
    const row = shown.get(id)?.row;
    if (row !== undefined) pick(row)?.();
  };
  const make = (row: LiveRow): HTMLTableRowElement => {
    const tr = element("tr");
    for (const at of row.cells.keys()) {
      const td = element("td");
      if (at === 0 && row.open !== undefined)
        td.append(
          element("button", { type: "button", class: "plain", click: run(row.id, ({ open }) => open) }),
        );
      tr.append(td);
    }
    if (row.actions !== undefined) tr.append(element("td", {}, element("div", { class: "row-actions" })));
    return tr;
  };
  const paint = (tr: HTMLTableRowElement, row: LiveRow): void => {
    tr.classList.toggle("open", row.isOpen === true);
    for (const [at, cell] of row.cells.entries()) {
      const td = tr.children[at];
      if (td === undefined) continue;
      const wanted = [typeof cell === "number" ? "number" : "", row.classes?.[at] ?? ""].join(" ").trim();
      if (td.className !== wanted) td.className = wanted;
      const target = td.firstElementChild ?? td;
      setText(target, typeof cell === "number" ? formatNumber(cell) : cell);
      if (at === 0 && row.open !== undefined)
        target.setAttribute("aria-expanded", String(row.isOpen === true));
    }
    if (row.actions !== undefined) paintActions(tr, row);
  };
  const paintActions = (tr: HTMLTableRowElement, row: LiveRow): void => {
    const container = tr.lastElementChild?.firstElementChild;
    if (container === null || container === undefined) return;
    const labels = row.actions?.map(({ label }) => label) ?? [];
    if (Array.from(container.children, ({ textContent }) => textContent).join("\n") === labels.join("\n"))
      return;
    container.replaceChildren(
      ...labels.map((label) =>
        element(
          "button",
          {
            type: "button",
            "aria-label": `${label}: ${String(row.cells[0])}`,
            click: run(row.id, ({ actions }) => actions?.find((action) => action.label === label)?.run),
          },
          label,
        ),
      ),
    );
  };
  return {
    root,
    update(columns, rows) {
      const hasActions = rows.some(({ actions }) => actions !== undefined);
      const names = hasActions ? [...columns, "Actions"] : columns;
      if (Array.from(head.children, ({ textContent }) => textContent).join("\n") !== names.join("\n"))
        head.replaceChildren(...names.map((column) => element("th", { scope: "col" }, column)));
      const wanted = new Set(rows.map(({ id }) => id));
      for (const [id, { tr }] of shown)
        if (!wanted.has(id)) {
          tr.remove();
          shown.delete(id);
        }
      for (const [at, row] of rows.entries()) {
        const known = shown.get(row.id);
        const isAlike = known !== undefined && known.row.cells.length === row.cells.length;
        const tr = isAlike ? known.tr : make(row);
        if (known !== undefined && !isAlike) known.tr.remove();
        if (isAlike) known.row = row;
        else shown.set(row.id, { tr, row });
        paint(tr, row);
        if (body.children[at] !== tr) body.insertBefore(tr, body.children[at] ?? null);
      }
    },
  };
};

/** Formats a number for display. */
export const formatNumber = (value: number): string => {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 });
};
