import { type AppUnderTest, type ServeOptions, serveOptions, toRunOptions } from "./app-under-test.ts";
import { checkArguments } from "./check-arguments.ts";
import { type ClientOptions, clientRules, createClient, type TestClient } from "./client.ts";
import { collectLogs } from "./collected-logs.ts";
import { testingError } from "./errors.ts";
import { fetchConnection } from "./fetch-connection.ts";
import { socketConnection } from "./socket-connection.ts";

/** Options of a client and of the application. */
export type AppClientOptions = ClientOptions & ServeOptions;

/**
 * A client that calls `app.fetch`; disposing of it stops the app.
 *
 * The first request starts the app. Paths are normalised as in any web `Request`, and there is no client address; a test that depends on either needs `socketClient`.
 *
 * @example
 * await using client = testClient(app, { env: "production" });
 * const reply = await client.post("/books", { json: { title: "Emma" } });
 */
export const testClient = (app: AppUnderTest, options: AppClientOptions = {}): TestClient => {
  checkArguments("testClient", options, clientRules, serveOptions);
  const { log, lines } = collectLogs(options.log);
  return createClient(fetchConnection(app, { ...options, log }), options, lines);
};

/**
 * A client that calls the app over HTTP/1.1 on a socket; disposing of it closes the connections and stops the app.
 *
 * The first request, or `url()`, makes the app listen on a free port of 127.0.0.1, in one process.
 */
export const socketClient = (app: AppUnderTest, options: AppClientOptions = {}): TestClient => {
  checkArguments("socketClient", options, clientRules, serveOptions);
  const { log, lines } = collectLogs(options.log);
  const connection = socketConnection(() => app.run(toRunOptions({ ...options, log })));
  return createClient(connection, options, lines);
};

/**
 * A client of a running service, at a URL without a path; disposing of it closes the connections, and does not stop the service.
 *
 * @throws TESTING_BAD_OPTION
 */
export const clientFor = (url: string, options: ClientOptions = {}): TestClient => {
  checkArguments("clientFor", options, clientRules);
  if (!isOrigin(url)) {
    const message = `clientFor: the URL must be http or https without path, query and credentials, as in http://127.0.0.1:8000, not ${JSON.stringify(url)}`;
    throw testingError("TESTING_BAD_OPTION", message);
  }
  return createClient(
    socketConnection(async () => ({ url, close: async () => {} })),
    options,
  );
};

const isOrigin = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.href === `${parsed.origin}/`;
};
