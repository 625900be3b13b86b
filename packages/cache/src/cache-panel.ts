import { ValueError } from "@framework/core";
import type { Panel } from "@framework/core/feature";
import type { Counts } from "./counts.ts";

/** Dependencies of `cachePanel`. */
export interface CachePanelParts {
  readonly counts: Counts;
  readonly size: () => { readonly entries: number; readonly bytes: number; readonly evictions: number };
  /** Drops replies by the program's tags; resolves to their number. */
  readonly drop: (tags: readonly string[]) => Promise<number>;
}

/** Creates the panel of the cache for the dev page. */
export const cachePanel = ({ counts, size, drop }: CachePanelParts): Panel => ({
  name: "cache",
  title: "Cache",
  scope: "worker",
  read: () => ({
    columns: ["Metric", "Value"],
    rows: Object.entries({ ...counts, ...size() }).map(([name, value]) => ({
      id: name,
      cells: [labels[name] ?? name, value],
    })),
  }),
  actions: [
    {
      name: "drop",
      label: "Drop by tag",
      on: "panel",
      fields: [{ name: "tags", label: "Tags, separated by commas" }],
      async run(_, { tags = "" }) {
        const wanted = tags
          .split(",")
          .map((tag) => tag.trim())
          .filter((tag) => tag !== "");
        if (wanted.length === 0) throw new ValueError("Give one or more tags");
        const dropped = await drop(wanted);
        return `${dropped} ${dropped === 1 ? "reply was" : "replies were"} dropped`;
      },
    },
  ],
});

const labels: Readonly<Record<string, string>> = {
  MISS: "answered by the handler",
  HIT: "answered from the store",
  STALE: "answered with a stale reply",
  REVALIDATED: "confirmed by the handler",
  BYPASS: "not from the store",
  entries: "entries",
  bytes: "bytes",
  evictions: "evicted entries",
};
