// A store that takes a snapshot after two events, and a stream of three.
import { type Database, openDatabase } from "@framework/database";
import { type EventStore, openEventStore } from "../index.ts";
import { Borrowed, Extended, Loan, type LoanState, loanTypes } from "../loan.test-kit.ts";

export interface TestStore extends AsyncDisposable {
  readonly store: EventStore & { snapshotsTaken(): Promise<void> };
  readonly db: Database;
  readonly lines: { readonly message: string; readonly fields: object }[];
}

export const open = async (): Promise<TestStore> => {
  const lines: TestStore["lines"] = [];
  const log = {
    info: () => {},
    error: () => {},
    warn: (message: string, fields: object = {}) => void lines.push({ message, fields }),
  };
  const db = openDatabase({ url: "sqlite://:memory:" });
  const store = await openEventStore({ events: loanTypes, snapshotInterval: 2 }, { db, log });
  return {
    store,
    db,
    lines,
    async [Symbol.asyncDispose]() {
      await store.close();
      await db.close();
    },
  };
};

export const events: readonly (ReturnType<typeof Borrowed> | ReturnType<typeof Extended>)[] = [
  Borrowed({ member: "ann" }),
  Extended({ days: 3 }),
  Extended({ days: 4 }),
];
export const expected: { readonly state: LoanState; readonly version: number } = {
  state: { member: "ann", days: 21, returns: 0 },
  version: 3,
};

export const takeSnapshot = async ({ store }: TestStore, decider: typeof Loan = Loan): Promise<void> => {
  await store.append("loan-1", events);
  await store.aggregate(decider, "1").load();
  await store.snapshotsTaken();
};
