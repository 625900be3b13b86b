/** graphql-http on `node:http`, which parses and validates each request; `--cached` caches parsed and validated documents. */
import { createServer } from "node:http";
import { type ExecutionArgs, GraphQLError, parse, validate } from "graphql";
import { createHandler, type HandlerOptions } from "graphql-http/lib/use/http";
import { serveProcessMetrics } from "../servers/process-metrics.ts";
import { announceServer } from "../servers/serving.ts";
import { createSchema } from "./schema.ts";

const schema = createSchema();
const documents = new Map<string, ExecutionArgs["document"]>();

const cached: HandlerOptions["onSubscribe"] = (_request, { query, variables, operationName }) => {
  let document = documents.get(query);
  if (document === undefined) {
    try {
      document = parse(query);
    } catch (error) {
      return [error as GraphQLError];
    }
    const errors = validate(schema, document);
    if (errors.length > 0) return errors;
    if (documents.size >= 1000) documents.clear();
    documents.set(query, document);
  }
  return { schema, document, variableValues: variables ?? {}, operationName: operationName ?? null };
};

const handler = createHandler({ schema, ...(process.argv.includes("--cached") && { onSubscribe: cached }) });
const server = createServer((request, response) => void handler(request, response));
await serveProcessMetrics();
server.listen(0, "127.0.0.1", () => announceServer(server));
