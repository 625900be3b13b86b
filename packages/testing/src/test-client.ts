import { type AppUnderTest, type ServeOptions, toRunOptions } from "./app-under-test.ts";
import { type ClientOptions, createClient, type TestClient } from "./client.ts";
import { collectLogs } from "./collected-logs.ts";
import { fetchConnection } from "./fetch-connection.ts";
import { socketConnection } from "./socket-connection.ts";

/** Options of a client and of the application. */
export type AppClientOptions = ClientOptions & ServeOptions;

/**
 * A client that calls `app.fetch`; disposing of it stops the app.
 *
 * The first request starts the app. Paths are normalised as in any web `Request`, and there is no client address: tests of these need `socketClient`.
 *
 * @example
 * await using client = testClient(app, { env: "production" });
 * const reply = await client.post("/books", { json: { title: "Emma" } });
 */
export const testClient = (app: AppUnderTest, options: AppClientOptions = {}): TestClient => {
  const { log, lines } = collectLogs(options.log);
  return createClient(fetchConnection(app, { ...options, log }), options, lines);
};

/**
 * A client that speaks HTTP/1.1 to the app over a socket; disposing of it closes the connections and stops the app.
 *
 * The first request, or `url()`, makes the app listen on a free port of 127.0.0.1, in one process.
 */
export const socketClient = (app: AppUnderTest, options: AppClientOptions = {}): TestClient => {
  const { log, lines } = collectLogs(options.log);
  const connection = socketConnection(() => app.run(toRunOptions({ ...options, log })));
  return createClient(connection, options, lines);
};

/** A client of a running service, at a URL without a path; disposing of it closes the connections, and does not stop the service. */
export const clientFor = (url: string, options: ClientOptions = {}): TestClient =>
  createClient(
    socketConnection(async () => ({ url, close: async () => {} })),
    options,
  );
