import { Ajv } from "ajv";
import Fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { BookStore, type NewBook } from "../book-store.ts";

const page = {
  type: "object",
  properties: {
    page: { type: "integer", minimum: 1, default: 1 },
    size: { type: "integer", minimum: 1, maximum: 100, default: 20 },
  },
};
const id = { type: "object", properties: { id: { type: "integer" } } };
const newBook = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string", minLength: 1 },
    author: { type: "string", default: "Unknown" },
    year: { type: ["integer", "null"], minimum: 0, default: null },
  },
};

// Path and query are strings, so numbers in them are converted; a body keeps its types.
const textual = new Ajv({ allErrors: true, useDefaults: true, coerceTypes: true });
const typed = new Ajv({ allErrors: true, useDefaults: true, allowUnionTypes: true });

/** The books service in Fastify. */
export const createApp = (apiKey: string): FastifyInstance => {
  const books = new BookStore();
  const app = Fastify();
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === "body" ? typed : textual).compile(schema));

  app.get("/health", () => ({ status: "ok" }));

  app.get<{ Querystring: { page: number; size: number } }>(
    "/books",
    { schema: { querystring: page } },
    (request) => books.list(request.query),
  );

  app.get<{ Params: { id: number } }>("/books/:id", { schema: { params: id } }, (request, reply) => {
    const book = books.find(request.params.id);
    return book ?? reply.code(404).send({ error: "Book not found" });
  });

  app.register(async (writing) => {
    writing.addHook("onRequest", async (request, reply) => {
      if (request.headers["x-api-key"] !== apiKey) return reply.code(401).send({ error: "Unauthorized" });
    });

    writing.post<{ Body: NewBook }>("/books", { schema: { body: newBook } }, (request, reply) => {
      const book = books.add(request.body);
      if (book === undefined) return reply.code(409).send({ error: "The book exists already" });
      return reply.code(201).header("location", `/books/${book.id}`).send(book);
    });
  });

  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "Not found" }));

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.validation !== undefined) {
      const fields = error.validation.map(
        ({ instancePath, params }) => params["missingProperty"] ?? instancePath.slice(1),
      );
      return reply.code(400).send({ error: "Invalid input", fields });
    }
    if (error.statusCode === 400) return reply.code(400).send({ error: "Invalid input", fields: ["body"] });
    request.log.error(error);
    return reply.code(500).send({ error: "Internal server error" });
  });

  return app;
};
