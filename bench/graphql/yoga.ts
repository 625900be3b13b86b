import { createServer } from "node:http";
import { createYoga } from "graphql-yoga";
import { announceServer, openVitals } from "../servers/serving.ts";
import { createSchema } from "./schema.ts";

const yoga = createYoga({ schema: createSchema(), logging: false, graphiql: false });
const server = createServer((request, response) => void yoga(request, response));
await openVitals();
server.listen(0, "127.0.0.1", () => announceServer(server));
