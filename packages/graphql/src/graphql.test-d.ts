import { App, dependency, Depends, type HttpRequest } from "@framework/core";
import { createLoader, field, graphql, type GraphqlContext, subscription } from "./index.ts";

const app = new (App.with(graphql))();
const Clock = dependency("clock", { create: () => ({ now: () => 7 }) });

app
  .enableGraphql()
  .enableGraphql({ path: "/api" })
  .get("/", () => "hello");

app.enableGraphql({
  context: (base) => ({ user: base.request.path }),
  resolvers: {
    Query: {
      me: (_: unknown, _args: object, context) => context.user.length,
      // @ts-expect-error the context has the members that `context` returns, and no others
      bad: (_: unknown, _args: object, context) => context.usr,
      now: field({ inject: { clock: Clock } }, (_source, _args, _context, _info, { clock }) => clock.now()),
    },
    Subscription: {
      ticks: subscription({}, async function* (_source, { to }: { to: number }) {
        yield to;
      }),
    },
  },
});

field({ inject: { clock: Clock } }, (_source, _args, _context, _info, dependencies) => {
  // @ts-expect-error only the injected dependencies exist
  void dependencies.clok;
});

// Dependencies as default arguments have the type of their token, with options and without.
app.enableGraphql({
  resolvers: {
    Query: {
      plain: (_source: unknown, _args: object, _context, _info, clock = Depends(Clock)) => clock.now(),
      without: field({}, (_source, _args, _context, _info, clock = Depends(Clock)) => clock.now()),
      beside: field(
        { inject: { clock: Clock } },
        (_source, { hours }: { hours: number }, _context, _info, { clock }, other = Depends(Clock)) =>
          clock.now() + other.now() + hours,
      ),
    },
    Subscription: {
      ticks: subscription({}, async function* (_source, _args, _context, _info, clock = Depends(Clock)) {
        yield clock.now();
      }),
    },
  },
});
createLoader({
  name: "without",
  batch: async (keys: readonly string[], _context, clock = Depends(Clock)) => keys.map(() => clock.now()),
});
createLoader({
  name: "beside",
  inject: { clock: Clock },
  batch: async (keys: readonly string[], _context, { clock }, other = Depends(Clock)) =>
    keys.map(() => clock.now() + other.now()),
});
// @ts-expect-error nothing is injected
field({}, (_source, _args, _context, _info, { clock }) => clock);
// @ts-expect-error nothing is injected
createLoader({ name: "none", batch: async (keys: readonly string[], _context, { clock }) => [keys, clock] });

// @ts-expect-error a guard of requests does not fit a field, which has no request
field({ guards: [(request: HttpRequest) => request.path === "/"] }, () => 1);

const load = (context: GraphqlContext): AbortSignal => context.signal;
void load;

// @ts-expect-error the method exists only where the feature is composed
new App().enableGraphql();

// @ts-expect-error a misspelt option is found by the compiler
app.enableGraphql({ pth: "/api" });
