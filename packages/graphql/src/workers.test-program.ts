import { App } from "@framework/core";
import { websocket } from "@framework/websocket";
import { graphql, subscription } from "./index.ts";

const app = new (App.with(websocket, graphql))();
app.enableGraphql({
  schema: "type Query { pid: Int! } type Subscription { pids: Int! }",
  resolvers: {
    Query: { pid: () => process.pid },
    Subscription: {
      pids: subscription({}, async function* (_source, _args, { signal }) {
        yield process.pid;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }),
    },
  },
});
await app.run();
