import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { resolvers, SCHEMA } from "../graphql/library.ts";
import { serveProcessMetrics } from "../servers/process-metrics.ts";
import { announce } from "../servers/serving.ts";

const server = new ApolloServer({ typeDefs: SCHEMA, resolvers, introspection: false });
await serveProcessMetrics();
const { url } = await startStandaloneServer(server, { listen: { host: "127.0.0.1", port: 0 } });
announce(Number(new URL(url).port));
