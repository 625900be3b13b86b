import { HttpError } from "@framework/core";
import type { Transaction } from "@framework/database";
import type { InlineViews, StoreBase } from "../../base/store-base.ts";
import type { StoredEvent } from "../../events/stored-event.ts";
import { categoryOf } from "../../names/category.ts";
import type { Projection } from "../definition/projection.ts";
import type { VersionStatus } from "../versions/projection-rows.ts";
import { tablesOf } from "../versions/view-tables.ts";
import { shareInline } from "../versions/inline-lock.ts";

/**
 * Applies appends to the live versions of inline projections.
 *
 * Every append reads which versions are live, because another process may have made a later version live at any time, even one of other event types.
 */
export class InlineProjections implements InlineViews {
  private readonly base: StoreBase;
  private readonly projections: readonly Projection[];

  constructor(base: StoreBase, projections: readonly Projection[]) {
    this.base = base;
    this.projections = projections;
  }

  /** @throws HttpError 503 (EVENTS_OUTDATED) if the live version of a projection is later than all versions that this process has */
  async begin(tx: Transaction): Promise<(events: readonly StoredEvent[]) => Promise<void>> {
    const lock = await shareInline(this.base, tx);
    // All versions, not only live ones: in the snapshot of this transaction, a version that has gone live since may still be building.
    const rows = await tx.query<InlineRow>`SELECT name, version, status FROM framework_projections
      WHERE is_inline = 1 ${lock}`;
    const live = rows.flatMap((row) => (row.status === "live" ? (this.find(row) ?? []) : []));
    return async (events) => {
      for (const each of live) await applyTo(tx, each, events);
    };
  }

  private find({ name, version }: InlineRow): Projection | null {
    const versions = this.projections.filter((each) => each.name === name);
    const found = versions.find((each) => each.version === version);
    if (found !== undefined) return found;
    if (versions.length === 0 || versions.some((each) => each.version > version)) return null; // the later version of this process reads the events itself
    throw new HttpError(503, "A newer release is taking over", {
      code: "EVENTS_OUTDATED",
      headers: { "retry-after": "1" },
      cause: new Error(
        `event-sourcing: version ${version} of projection ${name} is live, but this process does not have it`,
      ),
    });
  }
}

interface InlineRow {
  readonly name: string;
  readonly version: number;
  readonly status: VersionStatus;
}

const appliesTo = ({ types, category: wanted }: Projection, category: string, type: string): boolean =>
  (wanted === undefined || wanted === category) &&
  (types === undefined || types.some((each) => each.type === type));

const applyTo = async (
  tx: Transaction,
  projection: Projection,
  events: readonly StoredEvent[],
): Promise<void> => {
  const own = events.filter(({ stream, type }) => appliesTo(projection, categoryOf(stream), type));
  if (own.length === 0) return;
  await projection.apply(tx, own, { tables: tablesOf(projection), isRebuild: false });
};
