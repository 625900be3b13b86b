import { createServer } from "node:http";
import { createYoga } from "graphql-yoga";
import { serveProcessMetrics } from "../servers/process-metrics.ts";
import { announceServer } from "../servers/serving.ts";
import { createSchema } from "./schema.ts";

const yoga = createYoga({ schema: createSchema(), logging: false, graphiql: false });
const server = createServer((request, response) => void yoga(request, response));
await serveProcessMetrics();
server.listen(0, "127.0.0.1", () => announceServer(server));
