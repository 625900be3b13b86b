import type { Metric, Sample } from "@framework/core/feature";
import type { Encoding } from "./compression-config.ts";

/** Counters of compressed replies. */
export interface CompressionCounters {
  /** Counts a reply with its bytes before and after compression, both 0 for a stream. */
  add(coding: Encoding, before: number, after: number): void;
  snapshot(): Readonly<
    Record<string, { readonly replies: number; readonly before: number; readonly after: number }>
  >;
  readonly metrics: readonly Metric[];
}

export const compressionCounters = (encodings: readonly Encoding[]): CompressionCounters => {
  const counts = new Map(encodings.map((coding) => [coding, { replies: 0, before: 0, after: 0 }]));
  const read = (field: "replies" | "before" | "after") => (): Sample[] =>
    [...counts].map(([coding, count]) => ({ value: count[field], labels: { coding } }));
  return {
    add(coding, before, after) {
      const count = counts.get(coding);
      if (count === undefined) return;
      count.replies++;
      count.before += before;
      count.after += after;
    },
    snapshot: () => Object.fromEntries([...counts].map(([coding, count]) => [coding, { ...count }])),
    metrics: [
      {
        name: "compression_replies_total",
        help: "Compressed replies",
        type: "counter",
        read: read("replies"),
      },
      {
        name: "compression_input_bytes_total",
        help: "Bytes of whole bodies before compression",
        type: "counter",
        read: read("before"),
      },
      {
        name: "compression_output_bytes_total",
        help: "Bytes of whole bodies after compression",
        type: "counter",
        read: read("after"),
      },
    ],
  };
};
