import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import findMyWay from "find-my-way";
import { Memoirist } from "memoirist";
import { addRoute, createRouter, findRoute } from "rou3";
import { compileRouter } from "rou3/compiler";
import { canonicalise, Router } from "./core-internals.ts";
import { routes } from "./routes.ts";

/** Looks up a GET. Returns the index of the route, -1 for a miss, and the parameters, null without any. */
export type Lookup = (path: string) => { readonly route: number; readonly params: object | null };

const miss = { route: -1, params: null };

/** Creates a lookup function for each router, all with the same routes. */
export const createRouters = (): Readonly<Record<string, Lookup>> => ({
  "ours, route only": ours(false),
  ours: ours(true),
  "ours + canonicalise": oursWithCanonicalise(),
  memoirist: memoirist(),
  "find-my-way": findMyWayLookup(false),
  "find-my-way compiled": findMyWayLookup(true),
  rou3: rou3(),
  "rou3 compiled": rou3Compiled(),
  "hono RegExp": hono(new RegExpRouter<number>()),
  "hono Smart": hono(new SmartRouter<number>({ routers: [new RegExpRouter(), new TrieRouter()] })),
  "hono Trie": hono(new TrieRouter<number>()),
});

const place = { toString: () => "bench" };

const ourRouter = (): Router<number> => {
  const router = new Router<number>();
  for (const [index, [method, path]] of routes.entries()) {
    const problem = router.add(method, path, index, place);
    if (problem !== null) throw new Error(problem.message);
  }
  return router;
};

const ours = (readParams: boolean): Lookup => {
  const router = ourRouter();
  return (path) => {
    const match = router.find("GET", { path });
    return match === null ? miss : { route: match.value, params: readParams ? match.params : null };
  };
};

const oursWithCanonicalise = (): Lookup => {
  const router = ourRouter();
  return (path) => {
    const match = router.find("GET", canonicalise(path));
    return match === null ? miss : { route: match.value, params: match.params };
  };
};

/** Translates `{name}` to `:name`, and `{*name}` to the wildcard of the router. */
const translatePath = (path: string, wildcard: string): string =>
  path.replace(/\{\*\w+\}/, wildcard).replace(/\{(\w+)\}/g, ":$1");

const memoirist = (): Lookup => {
  const router = new Memoirist<number>();
  for (const [index, [method, path]] of routes.entries()) router.add(method, translatePath(path, "*"), index);
  return (path) => {
    const match = router.find("GET", path);
    return match === null ? miss : { route: match.store, params: match.params };
  };
};

const findMyWayLookup = (compiled: boolean): Lookup => {
  const router = findMyWay();
  const nothing = () => {};
  for (const [index, [method, path]] of routes.entries()) {
    router.on(method as "GET", translatePath(path, "*"), nothing, index);
  }
  if (compiled) router.compile();
  return (path) => {
    const match = router.find("GET", path);
    return match === null ? miss : { route: match.store as number, params: match.params };
  };
};

const rou3Context = () => {
  const context = createRouter<number>();
  for (const [index, [method, path]] of routes.entries()) {
    addRoute(context, method, translatePath(path, "**:file"), index);
  }
  return context;
};

const rou3 = (): Lookup => {
  const context = rou3Context();
  return (path) => {
    const match = findRoute(context, "GET", path);
    return match === undefined ? miss : { route: match.data, params: match.params ?? null };
  };
};

const rou3Compiled = (): Lookup => {
  const find = compileRouter<number>(rou3Context());
  return (path) => {
    const match = find("GET", path);
    return match === undefined ? miss : { route: match.data, params: match.params ?? null };
  };
};

interface HonoRouter {
  add(method: string, path: string, value: number): void;
  match(
    method: string,
    path: string,
  ): readonly [matched: readonly (readonly [number, unknown])[], stash?: unknown];
}

/** Hono returns every matching route in the order of registration; static routes are added first, so that the first match is the right one. */
const hono = (router: HonoRouter): Lookup => {
  const params = (path: string) => path.split("{").length;
  const inOrder = [...routes.entries()].sort(([, [, a]], [, [, b]]) => params(a) - params(b));
  for (const [index, [method, path]] of inOrder) router.add(method, translatePath(path, "*"), index);
  return (path) => {
    const [matched, stash] = router.match("GET", path);
    const first = matched[0];
    return first === undefined ? miss : { route: first[0], params: (stash ?? first[1]) as object };
  };
};
