import {
  byOrder,
  type Claim,
  type ClaimedRow,
  type Claiming,
  claimParameters,
  claimStatement,
} from "./claiming.ts";
import { type HeldItem, sortedById } from "./held.ts";
import {
  removeStatement,
  type Settlement,
  settlementRow,
  settleStatement,
  type Settling,
} from "./settling.ts";
import type { ListRow, StatementShape } from "./statement.ts";
import type { WorkTable } from "./work-table.ts";

/** Ended attempts: their items are removed, or settled with their outcomes. */
export type EndedAttempts =
  | { readonly remove: readonly HeldItem[] }
  | { readonly settle: readonly Settlement[] };

/** Result of `Turnover.run`. */
export interface TurnoverResult {
  /** Ids of the ended items that were held. */
  readonly held: ReadonlySet<number>;
  readonly claimed: readonly ClaimedRow[];
}

/** Returns the statement that ends items and claims others. The row without a fence has the ids of the ended items, as JSON. */
const withClaim = (shape: StatementShape): StatementShape => {
  const { parameters = {}, returns, postgres } = claimStatement;
  const columns = Object.keys(returns);
  const ended = columns.map((column) =>
    column === endedColumn ? "json_agg(id)::text" : `NULL::${returns[column]}`,
  );
  return {
    ...shape,
    name: `${shape.name}_claim`,
    parameters,
    returns,
    postgres: (places) => `WITH ended AS (${shape.postgres(places)}), claimed AS (${postgres(places)})
SELECT ${ended.join(", ")} FROM ended UNION ALL SELECT ${columns.join(", ")} FROM claimed`,
  };
};

/** Column of the ids. They share one row, because the driver takes one or two microseconds per row. */
const endedColumn = "payload" satisfies keyof ClaimedRow;

export const removeClaimStatement: StatementShape = withClaim(removeStatement);
export const settleClaimStatement: StatementShape = withClaim(settleStatement);

/** Ends attempts and claims the next items atomically: in one round trip to PostgreSQL, or one transaction of two statements on SQLite. */
export class Turnover {
  private readonly table: WorkTable;
  private readonly claiming: Claiming;
  private readonly settling: Settling;

  constructor(table: WorkTable, claiming: Claiming, settling: Settling) {
    this.table = table;
    this.claiming = claiming;
    this.settling = settling;
  }

  /** Only for items without keys: the next item of a key can be claimed only after the statement that ended the previous one. */
  async run(ended: EndedAttempts, claim: Claim): Promise<TurnoverResult> {
    if (this.table.db.dialect === "sqlite") return await this.runTwoStatements(ended, claim);
    const isRemoval = "remove" in ended;
    const shape = isRemoval ? removeClaimStatement : settleClaimStatement;
    const list: readonly ListRow[] = isRemoval
      ? sortedById(ended.remove).map(({ id, fence }) => ({ id, fence }))
      : sortedById(ended.settle).map(settlementRow);
    const rows = await this.table.run<ClaimedRow | EndedRow>(shape, {
      parameters: claimParameters(claim),
      list,
    });
    const row = rows.find(({ fence }) => fence === null);
    const claimed = rows.filter((each) => each.fence !== null);
    return { held: new Set(idsOf(row?.[endedColumn])), claimed: claimed.sort(byOrder) };
  }

  private async runTwoStatements(ended: EndedAttempts, claim: Claim): Promise<TurnoverResult> {
    return await this.table.transaction(async (tx) => {
      const held = await ("remove" in ended
        ? this.settling.remove(ended.remove, tx)
        : this.settling.settle(ended.settle, tx));
      return { held, claimed: await this.claiming.claim(claim, tx) };
    });
  }
}

interface EndedRow {
  readonly fence: null;
  readonly payload: string | null;
}

/** Returns an empty list if no item was held. */
const idsOf = (json: string | null | undefined): readonly number[] =>
  json === null || json === undefined ? [] : (JSON.parse(json) as number[]);
