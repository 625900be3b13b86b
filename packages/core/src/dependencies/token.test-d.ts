import { App } from "../app.ts";
import type { Host } from "../feature/host.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { isHttpRequest } from "../request/is-http-request.ts";
import { Depends } from "./depends.ts";
import { dependency, type InjectedValues, type Token } from "./token.ts";

interface Database {
  all(): string[];
}

const Db: Token<Database> = dependency<Database>("db");
const Port: Token<number> = dependency("port", { create: () => 8000 });
const Later = dependency("later", { create: async () => new Date(0) });
const Session = dependency<Date>("session", {
  scope: "invocation",
  dispose: (value) => void value.getTime(),
});
const Tick = dependency<Date>("tick", {
  scope: "invocation",
  create: (_, invocation) => new Date(isHttpRequest(invocation) ? invocation.path : (invocation?.name ?? 0)),
});
const Rows = dependency("rows", {
  scope: "invocation",
  inject: { db: Db, extra: "extra" },
  create: ({ db, extra }, invocation) => {
    const known: unknown = extra;
    const name: string = invocation.name;
    return [...db.all(), name, String(known)];
  },
  dispose: (rows) => void rows.push("closed"),
});

export const db: Token<Database> = Db;
export const port: Token<number> = Port;
export const later: Token<Date> = Later;
export const dates: readonly Token<Date>[] = [Session, Tick];
export const rows: Token<string[]> = Rows;
export const anything: Token<unknown> = Rows;

export const injected: InjectedValues<{ db: typeof Db; port: typeof Port; x: "name" }> = {
  db: { all: () => [] },
  port: 1,
  x: Symbol("unknown"),
};
export const fromToken: Database = Depends(Db);
export const byName: Database = Depends<Database>("db");
const handler = (_request: HttpRequest, database = Depends(Db)): string[] => database.all();
export const called: string[] = handler({} as HttpRequest);

export const scoped: Token<unknown>[] = [
  dependency("t", { scope: "transient", create: (_, invocation) => invocation?.name }),
  // @ts-expect-error a transient value may be created outside an invocation
  dependency("t", { scope: "transient", create: (_, invocation) => invocation.name }),
  // @ts-expect-error a singleton has no invocation
  dependency("s", { create: (_, invocation) => invocation.name }),
  // @ts-expect-error not every invocation is an HTTP request
  dependency("o", { scope: "invocation", create: (_, invocation) => invocation.path }),
  // @ts-expect-error nor may the factory ask for a request
  dependency("h", { scope: "invocation", create: (_: object, request: HttpRequest) => request.path }),
  // @ts-expect-error the scope of one request is called invocation
  dependency("r", { scope: "request", create: () => 1 }),
  // @ts-expect-error there is no such scope
  dependency("w", { scope: "session", create: () => 1 }),
  // @ts-expect-error `clock` was not injected
  dependency("c", { inject: { db: Db }, create: ({ clock }) => clock }),
];

// The token alone decides the type of a registered value.
declare const app: App;
declare const host: Host;
declare const database: Database & { readonly close: () => void };
declare const perhaps: Database | undefined;
declare const partial: Partial<Database>;
app
  .registerSingleton(Db, database)
  .registerSingleton("by-name", partial)
  .provide(Db, async () => database);
app.provide(Rows, { create: () => ["a"], dispose: (list) => void list.pop() });
app.override("by-name", null)();
app.override(Db, database)();
export const registered = <T>(token: Token<T>, value: T): App =>
  app.registerSingleton(token, value).provide(token, () => value);
// @ts-expect-error the value may be missing
app.registerSingleton(Db, perhaps);
// @ts-expect-error a method may be missing
app.registerSingleton(Db, partial);
// @ts-expect-error the factory may return undefined
app.provide(Db, () => perhaps);
// @ts-expect-error nor may a promise resolve to a partial value
app.provide(Db, { create: async () => partial });
// @ts-expect-error the factory of a feature must return the token's type too
host.state.provide(Db, () => perhaps);
// @ts-expect-error null is not a Database
app.override(Db, null);
// @ts-expect-error nor is an unknown value
app.override(Db, partial as unknown);

// @ts-expect-error a number is not a string
export const wrongToken: Token<string> = Port;
// @ts-expect-error the token's type is Database
export const wrongDepends: number = Depends(Db);
// @ts-expect-error a name alone has no type
export const unasserted: Database = Depends<unknown>("db");
// @ts-expect-error injected values are read-only
injected.port = 2;
// @ts-expect-error dispose gets the value of create, a number
dependency("d", { create: () => 1, dispose: (value: string) => void value });
