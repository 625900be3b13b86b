import { NotFoundError } from "@framework/core";
import type { Panel } from "@framework/core/feature";
import type { ParkedWork } from "./parked-work.ts";

const MAX_SHOWN = 100;

/** Returns the dev-page panel of parked work. @param isUsed whether the table exists */
export const parkedPanel = (parked: ParkedWork, isUsed: () => boolean): Panel => ({
  name: "parked",
  title: "Parked work",
  async read() {
    const columns = ["Item", "Source", "Name", "Key", "Error", "Attempts", "Failed last"];
    if (!isUsed()) return { columns, rows: [] };
    const { items, next } = await parked.list({ state: "parked", limit: MAX_SHOWN });
    const rows = items.map(({ id, source, name, key, errorClass, errorMessage, attempts, lastAt }) => ({
      id,
      cells: [id, source, name, key, `${errorClass}: ${errorMessage}`, attempts, timeOf(lastAt)],
    }));
    if (rows.length === 0) return { columns, rows, note: "No work is parked" };
    return { columns, rows, ...(next !== null && { note: `The oldest ${MAX_SHOWN} are shown` }) };
  },
  async details(id) {
    const item = await parked.inspect(id);
    if (item === null) throw new NotFoundError("The item no longer exists");
    const facts = {
      State: item.state,
      "Added or first attempted": timeOf(item.firstAt),
      Code: item.errorCode,
      "Code version": item.codeVersion,
      Note: item.note,
    };
    return [
      {
        title: "Facts",
        columns: ["Name", "Value"],
        rows: Object.entries(facts).map(([name, value]) => ({ id: name, cells: [name, value] })),
      },
      {
        title: "Stack",
        columns: ["Line"],
        rows: (item.stack ?? "")
          .split("\n", 30)
          .map((line, at) => ({ id: String(at), cells: [line.trim()] })),
      },
    ];
  },
  actions: [
    {
      name: "replay",
      label: "Replay",
      on: "row",
      async run(id) {
        const { replayed, failed } = await parked.replay([id ?? ""]);
        if (replayed === 0) throw new NotFoundError(failed[0]?.reason ?? "The item was not replayed");
        return "The item was returned to its source";
      },
    },
    {
      name: "discard",
      label: "Discard",
      on: "row",
      fields: [{ name: "note", label: "Why" }],
      async run(id, { note = "" }) {
        if ((await parked.discard([id ?? ""], { note })) === 0)
          throw new NotFoundError("The item is no longer parked");
        return "The item was discarded";
      },
    },
  ],
});

const timeOf = (ms: number): string => new Date(ms).toISOString();
