import { join } from "node:path";
import { type HttpRequest, Response, ValidationError, ValueError } from "@framework/core";
import { RateLimitConfig } from "@framework/rate-limit";
import { redisCacheStore } from "@framework/redis";
import { BooksApp } from "./books-app.ts";
import { bookEvents, publishWith } from "./books/book-events.ts";
import { readingRoutes, writingRoutes } from "./books/routes.ts";
import { sqlBooks } from "./books/sql-books.ts";
import { versionOne } from "./books/version-one.ts";
import { brokerConfig } from "./broker.ts";
import { enableLendingGraphql } from "./graphql/lending-graphql.ts";
import { enableLendingGrpc } from "./grpc/lending-grpc.ts";
import { enableLending } from "./lending/lending.ts";
import { checkRebuilds, lendingViews } from "./lending/lending-views.ts";
import { loanEvents } from "./lending/loan.ts";
import { protect } from "./login/protect.ts";
import { announceTo, feedRoute } from "./live/feed.ts";
import { indexBooks } from "./search/indexing.ts";
import { searchRoutes } from "./search/routes.ts";
import { enableOrders } from "./orders/enable-orders.ts";
import { orderEvents } from "./orders/order.ts";
import { booksSettings, type BooksSettings } from "./settings.ts";

const folder = (name: string): string => join(import.meta.dirname, "..", name);

/** Creates the app without starting it. */
export const createBooksApp = (settings: BooksSettings = booksSettings()): BooksApp => {
  const app = new BooksApp();
  enableFeatures(app, settings);
  if (settings.collectorUrl !== undefined)
    app.enableTelemetry({ serviceName: settings.serviceName, otlpEndpoint: settings.collectorUrl });
  if (settings.devtools === "on") app.enableDevtools({ port: settings.devtoolsPort });
  if (settings.redisUrl !== undefined) app.enableRedis({ url: settings.redisUrl, shared: true });
  app.enableMessaging({ source: "/books", topics: [bookEvents, orderEvents], ...brokerConfig(settings) });
  if (settings.work === "on") indexBooks(app);
  const protection = protect(app, settings);
  const books = sqlBooks(app.db, { timeoutSecs: settings.databaseSecs });
  const { checkReturned } = enableLending(app, {
    books,
    protection: protection.routes,
    loanDays: settings.loanDays,
  });
  enableLendingGraphql(app, protection.tokens);
  if (settings.grpcAddress !== undefined) enableLendingGrpc(app, protection.tokens, settings.grpcAddress);
  enableOrders(app, settings, protection.routes);
  app
    .exceptionHandler(ValueError, (_request, error) =>
      Response.json({ error: "Invalid value", detail: error.detail }, { status: 400 }),
    )
    .exceptionHandler(ValidationError, replyToInvalidInput)
    .exceptionHandler(Error, () => Response.json({ error: "Internal server error" }, { status: 500 }))
    .registerBlueprint(readingRoutes(books))
    .registerBlueprint(versionOne(books))
    .registerBlueprint(searchRoutes(app.db))
    .registerBlueprint(
      writingRoutes(books, {
        announce: announceTo(app),
        publish: publishWith(app),
        protection: protection.routes,
        checkRemoval: checkReturned,
      }),
    );
  app.onEvent("startup", async () =>
    checkRebuilds(settings.rebuilds, await app.eventStore.projections.status()),
  );
  feedRoute(app);
  app.get("/", { hidden: true }, () => Response.sendFile(join(folder("public"), "index.html")));
  return app;
};

const enableFeatures = (
  app: BooksApp,
  {
    databaseUrl,
    databaseSecs,
    redisUrl,
    logLevel,
    origins,
    rebuilds,
    rebuiltGoLive,
    requestsPerMinute,
    work,
  }: BooksSettings,
): void => {
  app
    .enableLogging({ level: logLevel })
    .enableRequestId()
    .enableCors(origins)
    .enableSecurityHeaders()
    .enableCompression()
    .enableEtag()
    .enableBodyLimit(1_048_576)
    .enableRateLimit(RateLimitConfig.tokenBucket(requestsPerMinute, 60))
    .enableCaching({
      ttl: 10,
      ...(redisUrl !== undefined && { store: redisCacheStore(app, { name: "books" }) }),
    })
    .enableCircuitBreaker({ resetTimeout: databaseSecs / 3 })
    .enableStaticFiles({ directory: folder("public") })
    .enableDeprecation()
    .enableOpenapi({
      title: "Books",
      version: "1.0.0",
      description: "A small service for books.",
      license: { name: "MIT", identifier: "MIT" },
    })
    .enableAsyncapi({ title: "Books", version: "1.0.0", description: "Events of books and orders." })
    .enableHealthChecks()
    .enablePrometheus()
    .enableDatabase({
      url: databaseUrl,
      // A request may wait for a free connection, for a new one, and for a reply: together at most databaseSecs.
      connectionTimeoutSecs: databaseSecs / 4,
      answerTimeoutSecs: databaseSecs / 2,
      migrations: folder("migrations"),
      migrateAtStart: true,
    })
    .enableDurable({ migrateAtStart: true, runWork: work === "on" })
    .enableEventSourcing({
      events: loanEvents,
      projections: lendingViews(rebuilds, rebuiltGoLive === "alone"),
    })
    .enableCqrs();
};

/** A missing, blank or non-string title gets a special 400; other problems are listed by location. */
const replyToInvalidInput = (
  { method, path }: HttpRequest,
  { issues, detail, status }: ValidationError,
): Response => {
  const lacksTitle = issues.some(
    ({ loc: [part, field = "title"], type }) =>
      part === "body" && field === "title" && ["invalid_type", "invalid_format"].includes(type),
  );
  if (method === "POST" && path === "/books" && lacksTitle)
    return Response.json({ error: "Field 'title' is required" }, { status: 400 });
  return Response.json({ error: "Validation Failed", detail, status, errors: issues }, { status });
};
