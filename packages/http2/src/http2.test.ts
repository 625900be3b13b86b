import { App } from "@framework/core";
import { overHttp2, selfSigned } from "@framework/conformance";
import { expect, test } from "@jest/globals";
import { http2 } from "./http2.ts";

const options = { port: 0, exitOnError: false, argv: [], environment: {}, logs: false } as const;
const { cert, key } = selfSigned();

const createApp = () => {
  const app = new (App.with(http2))();
  app.get("/", (request) => ({ http: request.httpVersion, secure: request.isSecure, host: request.host }));
  return app;
};

const ask = async (port: number, ca?: string): Promise<unknown> => {
  const client = overHttp2(port, ca);
  const reply = await client.send();
  const text = await reply.text();
  client.destroy();
  return JSON.parse(text);
};

test("serves HTTP/2 over TLS, beside HTTP/1.1", async () => {
  const running = await createApp()
    .enableHttp2()
    .run({ ...options, tls: { cert, key } });
  try {
    expect(await ask(running.port, cert)).toEqual({ http: "2", secure: true, host: "a" });
  } finally {
    await running.close();
  }
});

test("serves HTTP/2 without TLS when asked to, beside HTTP/1.1", async () => {
  const running = await createApp().enableHttp2({ h2c: true }).run(options);
  try {
    expect(await ask(running.port)).toEqual({ http: "2", secure: false, host: "a" });
    const reply = await fetch(running.url);
    expect(await reply.json()).toEqual({ http: null, secure: false, host: new URL(running.url).host });
  } finally {
    await running.close();
  }
});

test("reports a mistake in its options at the start", async () => {
  const app = createApp().enableHttp2({ maxConcurrentStreams: 0 });
  await expect(app.run(options)).rejects.toThrow("Http2Config.maxConcurrentStreams");
});
