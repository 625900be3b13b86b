import { App } from "@framework/core";
import { serveProcessMetrics } from "../servers/process-metrics.ts";
import { graphql } from "./graphql-package.ts";
import { resolvers, SCHEMA } from "./library.ts";

const app = new (App.with(graphql))().enableGraphql({ schema: SCHEMA, resolvers });
await serveProcessMetrics();
await app.run({ env: "production", workers: 1, argv: [] });
