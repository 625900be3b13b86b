import { retryPolicy } from "@framework/core";
import type { AnyEventType } from "../../events/event-type.ts";
import { checkProjection } from "./check-projection.ts";
import type { Projection, ProjectionOptions } from "./projection.ts";

/**
 * Defines a view that is built from events and kept up to date.
 *
 * @example
 * const Shelf = projection({
 *   name: "shelf",
 *   types: [BookBorrowed, BookReturned],
 *   tables: { shelf: "book TEXT PRIMARY KEY, member TEXT NOT NULL" },
 *   async apply(tx, events, { tables: { shelf } }) {
 *     for (const { type, stream, data } of events)
 *       if (type === "BookBorrowed") await tx.execute`INSERT INTO ${shelf} VALUES (${stream}, ${data.member})`;
 *       else await tx.execute`DELETE FROM ${shelf} WHERE book = ${stream}`;
 *   },
 * });
 * @throws EVENTS_BAD_PROJECTION, CORE_BAD_CONFIG for the retry policy
 */
export const projection = <Types extends AnyEventType = never, Table extends string = never>(
  options: ProjectionOptions<Types, Table>,
): Projection => {
  const { version = 1, inline = false, shards = 1, batchSize = 500 } = options;
  const { onError = inline ? "stop" : "park" } = options;
  const { maxLagSecs = 60, keepRetiredSecs = 86_400, autoLive = true, retry } = options;
  const { name, types, category, key, apply, clear, tables = {}, create = noIndexes } = options;
  const settings = { version, inline, shards, batchSize, onError, maxLagSecs, keepRetiredSecs, autoLive };
  const policy = retryPolicy(retry, { attempts: 5 });
  const given = { name, types, category, key, apply, clear, tables, create, retry: policy };
  const defined = { ...settings, ...given } as unknown as Projection; // safe, because readers pass only events of its types
  checkProjection(defined);
  return Object.freeze(defined);
};

const noIndexes = async (): Promise<void> => {};
