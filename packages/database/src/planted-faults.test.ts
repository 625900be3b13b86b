// Above 250 lines because it has a fault for every fact of the contract, and one test compares the two lists.
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { mapAwaitable } from "@framework/core/feature";
import { expectContractToCatch, portContract } from "@framework/core/testing";
import type { Backend, OpenTransaction, Outcome } from "./backend.ts";
import { databaseContract } from "./database-contract.test-kit.ts";
import { type Database, DatabaseConfig, DatabaseError } from "./index.ts";
import { openBackend } from "./open.ts";
import { OpenDatabase } from "./open-database.ts";
import type { Row, Transaction } from "./queries.ts";
import { Statement } from "./statement.ts";

/** A mistake in an implementation, and the fact of the contract that must catch it. */
interface Fault {
  readonly fact: string;
  /** Replaces methods of the SQLite adapter. */
  readonly adapter?: (backend: Backend) => Partial<Backend>;
  /** Replaces methods of the database on the adapter. */
  readonly database?: (db: Database) => Partial<Database>;
  /** @default a separate file, and an idle timeout of 0.3 s */
  readonly config?: Partial<DatabaseConfig>;
}

/** `port` with some methods replaced. */
const withReplaced = <Port extends object>(port: Port, faults: Partial<Port>): Port =>
  new Proxy(port, {
    get: (target, name) => {
      if (Object.hasOwn(faults, name)) return faults[name as keyof Port];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

/** A SQLite database with a fault. */
const faultyDatabase = ({ adapter, database, config }: Fault): Database & AsyncDisposable => {
  const folder = mkdtempDisposableSync(join(tmpdir(), "database-"));
  const url = `sqlite://${join(folder.path, "test.db")}`;
  const { backend } = openBackend(
    DatabaseConfig.of({ url, idleInTransactionSecs: 0.3, ...config }),
    () => {},
  );
  const db = new OpenDatabase(adapter === undefined ? backend : withReplaced(backend, adapter(backend)));
  return Object.assign(database === undefined ? db : withReplaced<Database>(db, database(db)), {
    async [Symbol.asyncDispose]() {
      await backend.close();
      folder.remove();
    },
  });
};

/** Changes the results of statements. */
const outcomes =
  (change: (outcome: Outcome) => Partial<Outcome>) =>
  (backend: Backend): Partial<Backend> => ({
    run: (...call) => mapAwaitable(backend.run(...call), (outcome) => ({ ...outcome, ...change(outcome) })),
  });

/** Changes the values in rows. */
const values = (change: (value: unknown) => unknown): ((backend: Backend) => Partial<Backend>) =>
  outcomes(({ rows }) => ({
    rows: rows.map((row): Row =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, change(value)])),
    ),
  }));

/** Changes the parameters of statements. */
const parameters =
  (change: <Value>(values: readonly Value[]) => readonly Value[]) =>
  (backend: Backend): Partial<Backend> => ({
    run: (statement, execution) =>
      backend.run(new Statement(statement.text, change(statement.values)), execution),
  });

/** Replaces methods of transactions. */
const transactions =
  (change: (tx: OpenTransaction, backend: Backend) => Partial<OpenTransaction>) =>
  (backend: Backend): Partial<Backend> => ({
    begin: async (options) => {
      const tx = await backend.begin(options);
      return withReplaced(tx, change(tx, backend));
    },
  });

const faults: Readonly<Record<string, Fault>> = {
  "counts no changes": {
    fact: "statements return rows, the first row, the first value or the number of changes",
    adapter: outcomes(() => ({ changes: 0 })),
  },
  "returns the last row instead of the first": {
    fact: "fetchOne returns the first row after the whole statement has run",
    adapter: (backend) => ({
      run: (statement, execution) =>
        mapAwaitable(backend.run(statement, { ...execution, first: false }), ({ rows, changes }) => ({
          rows: execution.first ? rows.slice(-1) : rows,
          changes,
        })),
    }),
  },
  "binds parameters in reverse": {
    fact: "a parameter may occur repeatedly and in any order, and $1 in quotes or comments is text",
    adapter: parameters((given) => given.toReversed()),
  },
  "binds the first parameter everywhere": {
    fact: "a statement can be embedded in another statement",
    adapter: parameters((given) => given.map((value) => given[0] ?? value)),
  },
  "normalises line ends": {
    fact: "hostile text is stored unchanged",
    adapter: values((value) => (typeof value === "string" ? value.replaceAll("\r\n", "\n") : value)),
  },
  "accepts every value": {
    fact: "an unsupported parameter is refused before the statement is sent",
    database: () => ({ query: async () => [] }),
  },
  "rounds integers": {
    fact: "integers are exact, as bigint beyond the range of number",
    adapter: values((value) => (typeof value === "bigint" ? Number(value) : value)),
  },
  "returns bytes as text": {
    fact: "bytes, fractions and null are stored unchanged",
    adapter: values((value) => (value instanceof Uint8Array ? value.toString() : value)),
  },
  "has one kind of error": {
    fact: "errors of violated constraints and of syntax have their kinds",
    adapter: (backend) => ({
      run: async (...call) => {
        try {
          return await backend.run(...call);
        } catch (cause) {
          throw new DatabaseError("other", "The statement failed", { sqlCode: "0", cause });
        }
      },
    }),
  },
  "rolls back instead of committing": {
    fact: "a transaction commits and resolves to the function's result",
    adapter: transactions((tx) => ({
      commit: async () => {
        await tx.rollback();
        return true;
      },
    })),
  },
  "commits instead of rolling back": {
    fact: "an error rolls the transaction back and is rethrown",
    adapter: transactions((tx) => ({ rollback: async () => void (await tx.commit()) })),
  },
  "ignores savepoints": {
    fact: "a nested transaction rolls back only its own changes",
    adapter: transactions((tx) => ({
      script: (text) => (text.includes("SAVEPOINT") ? undefined : tx.script(text)),
    })),
  },
  "runs statements of other callers within the open transaction": {
    fact: "other callers do not see uncommitted changes, and their statements do not join the transaction",
    adapter: (backend) => {
      let open: OpenTransaction | null = null;
      return {
        begin: async (options) => {
          const tx = await backend.begin(options);
          open = tx;
          const rollback = async (): Promise<void> => {
            await new Promise(setImmediate); // lets the statement of the other caller run first
            open = null;
            await tx.rollback();
          };
          return withReplaced<OpenTransaction>(tx, { rollback });
        },
        run: (...call) => (open ?? backend).run(...call),
      };
    },
  },
  "passes itself as the transaction": {
    fact: "an ended transaction refuses statements",
    database: (db) => ({
      transaction: (run) => {
        const transaction = async <T>(inner: (tx: Transaction) => Promise<T>): Promise<T> => inner(tx);
        const tx = withReplaced(db as Database & Transaction, { transaction });
        return run(tx);
      },
    }),
  },
  "ignores readOnly": {
    fact: "a read-only transaction refuses to write",
    adapter: (backend) => ({ begin: (options) => backend.begin({ ...options, readOnly: false }) }),
  },
  "lets transactions idle": {
    fact: "an idle transaction is rolled back at its timeout, and other callers continue",
    config: { idleInTransactionSecs: 1, connectionTimeoutSecs: 0.3 },
  },
  "ignores signals": {
    fact: "an aborted signal rolls the transaction back, which rejects with the signal's reason",
    database: (db) => ({ transaction: (run) => db.transaction(run) }),
  },
  "streams despite an aborted signal": {
    fact: "a stream whose signal has aborted yields no row, and throws the signal's reason",
    database: (db) => ({ until: () => db }),
  },
  "drops the last row of each batch": {
    fact: "a stream yields every row once, in order, with any batch size",
    adapter: (backend) => ({
      async *stream(...call) {
        for await (const rows of backend.stream(...call)) yield rows.slice(0, -1);
      },
    }),
  },
  "hides the error of a stream": {
    fact: "leaving a stream early frees its connection, and a failed stream throws its error",
    adapter: (backend) => ({
      async *stream(...call) {
        try {
          yield* backend.stream(...call);
        } catch {
          // the fault: the error is lost
        }
      },
    }),
  },
  "streams outside the transaction": {
    fact: "a stream in a transaction sees its changes",
    adapter: transactions((_tx, backend) => ({ stream: (...call) => backend.stream(...call) })),
  },
  "sends notifications before the commit": {
    fact: "a notification reaches every listener, unless its transaction is rolled back",
    adapter: transactions((_tx, backend) => ({ notify: (...call) => backend.notify(...call) })),
  },
  "never stops listening": {
    fact: "a notification reaches every listener, unless its transaction is rolled back",
    adapter: (backend) => ({
      listen: async (...call) => {
        await backend.listen(...call);
        return async () => {};
      },
    }),
  },
  "runs callbacks even if it rolls back": {
    fact: "callbacks run after the outermost commit, and not after a rollback",
    database: (db) => ({
      transaction: (run, options) =>
        db.transaction((tx) => run(withReplaced(tx, { onCommit: queueMicrotask })), options),
    }),
  },
  "has transactions without isolation": {
    fact: "100 increments in transactions, 10 at a time, lose no update",
    adapter: (backend) => ({
      begin: async () => {
        const tx: OpenTransaction = {
          run: async (...call) => backend.run(...call),
          stream: (...call) => backend.stream(...call),
          notify: (...call) => backend.notify(...call),
          script: () => {},
          commit: () => true,
          rollback: () => {},
        };
        return tx;
      },
    }),
  },
  "accepts statements after it was closed": {
    fact: "a closed database refuses statements and listeners",
    adapter: () => ({ close: async () => {} }),
  },
};

test.each(Object.entries(faults))("the contract catches a database that %s", async (_name, fault) => {
  const { fact } = fault;
  const contract = portContract<Database>("database", { [fact]: databaseContract.facts[fact] ?? (() => {}) });
  expect(await expectContractToCatch(contract, () => faultyDatabase(fault))).toEqual([fact]);
});

test("every fact of the contract catches a planted fault", () => {
  expect(new Set(Object.values(faults).map(({ fact }) => fact))).toEqual(
    new Set(Object.keys(databaseContract.facts)),
  );
});

describe("the wrappers without a fault pass the contract:", () => {
  databaseContract(test, () => faultyDatabase({ fact: "none", adapter: () => ({}), database: () => ({}) }));
});
