import { sql } from "@framework/database";
import type { StoreBase } from "../../base/store-base.ts";

/** A version that is building or live, with the position up to which all shards have read. */
export interface VersionProgress {
  readonly name: string;
  readonly version: number;
  readonly status: "building" | "live";
  readonly is_inline: number;
  readonly position: number;
}

/** Reads the progress of every version that is building or live, by name and version. */
export const progressOf = async ({ db }: StoreBase): Promise<readonly VersionProgress[]> =>
  await db.query<VersionProgress>(progress);

const progress = sql`SELECT p.name AS name, p.version AS version, p.status AS status, p.is_inline AS is_inline,
    min(s.position) AS position
  FROM framework_projections p JOIN framework_projection_shards s ON s.name = p.name AND s.version = p.version
  WHERE p.status IN ('building', 'live') GROUP BY p.name, p.version, p.status, p.is_inline ORDER BY p.name, p.version`;
