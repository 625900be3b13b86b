// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import { App } from "@framework/core";
import { virtualClock } from "@framework/core/testing";
import { eachClient, type TestClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { JwtAuth } from "../index.ts";
import { forge, nowSecs, secret } from "./forge.test-kit.ts";

const token = forge({ alg: "HS256" });
const other = forge({ alg: "HS256" }, { sub: "bob", exp: nowSecs + 60 });
const bad = `${token}x`;
const clock = virtualClock({ start: nowSecs * 1000 });

const appWith = (config: object) => () => {
  const app = new App().use(new JwtAuth({ secret, ...config }, { clock }));
  app.get("/", (request) => (request.context.get("jwt_claims") as { sub: string }).sub);
  return app;
};

type Row = readonly [headers: Record<string, string>, outcome: string, query?: string];
const missing = "401 Authentication required";
const invalid = "401 Invalid or expired token";

const expectRows = async (client: TestClient, rows: readonly Row[]): Promise<void> => {
  for (const [headers, outcome, query = ""] of rows) {
    const reply = await client.get(`/${query}`, { headers });
    const seen =
      reply.status === 200 ? reply.text : `${reply.status} ${reply.json<{ detail: string }>().detail}`;
    expect([headers, query, seen]).toEqual([headers, query, outcome]);
    const challenge: Record<string, string> = {
      [missing]: 'Bearer realm="Restricted"',
      [invalid]: 'Bearer realm="Restricted", error="invalid_token"',
    };
    expect(reply.headers.get("www-authenticate")).toBe(challenge[outcome] ?? null);
  }
};

eachClient(test, appWith({}), {
  "the token is read only from Authorization, after a case-insensitive Bearer": async (client) => {
    await expectRows(client, [
      [{}, missing],
      [{ authorization: `Bearer ${token}` }, "ann"],
      [{ authorization: `bearer ${token}` }, "ann"],
      [{ authorization: `BEARER   ${token}` }, "ann"],
      [{ authorization: token }, missing],
      [{ authorization: `Bearer${token}` }, missing],
      [{ authorization: `Token ${token}` }, missing],
      [{ authorization: `Basic ${token}` }, missing],
      [{ authorization: `Bear ${token}` }, missing],
      [{ authorization: `Bearer\t${token}` }, missing],
      [{ authorization: "Bearer" }, invalid],
      [{ authorization: `Bearer ${token} ${token}` }, invalid],
      [{ authorization: `Bearer ${token},${token}` }, invalid],
      [{ authorization: `Bearer "${token}"` }, invalid],
      [{ authorization: `Bearer Bearer ${token}` }, invalid],
      [{ authorization: `Bearer ${bad}` }, invalid],
      [{ "x-authorization": `Bearer ${token}` }, missing],
      [{ cookie: `token=${token}; access_token=${token}` }, missing],
      [{}, missing, `?access_token=${token}&token=${token}`],
    ]);
  },
});

eachClient(test, appWith({ cookieName: "session", queryParam: "access_token" }), {
  "the token is also read from a configured cookie or query parameter; the header takes precedence": async (
    client,
  ) => {
    await expectRows(client, [
      [{}, missing],
      [{ cookie: `session=${token}` }, "ann"],
      [{ cookie: `session=${bad}` }, invalid],
      [{ cookie: "session=" }, invalid],
      [{ cookie: `session=${token}; session=${other}` }, "ann"],
      [{}, "ann", `?access_token=${token}`],
      [{}, invalid, `?access_token=${token}&access_token=${token}`],
      [{}, invalid, "?access_token="],
      [{ authorization: `Bearer ${other}`, cookie: `session=${token}` }, "bob", `?access_token=${token}`],
      [{ authorization: `Bearer ${bad}`, cookie: `session=${token}` }, invalid],
      [{ authorization: "Basic YTpi", cookie: `session=${token}` }, "ann"],
      [{ cookie: `session=${other}` }, "bob", `?access_token=${token}`],
    ]);
  },
});

eachClient(test, appWith({ headerName: "X-Token", scheme: "" }), {
  "with an empty scheme, a custom header carries the bare token": async (client) => {
    await expectRows(client, [
      [{}, missing],
      [{ "x-token": token }, "ann"],
      [{ "x-token": `Bearer ${token}` }, invalid],
      [{ authorization: `Bearer ${token}` }, missing],
    ]);
  },
});

eachClient(test, appWith({ scheme: "Token" }), {
  "another scheme replaces Bearer, including in the challenge": async (client) => {
    expect((await client.get("/", { headers: { authorization: `token ${token}` } })).text).toBe("ann");
    const reply = await client.get("/", { headers: { authorization: `Bearer ${token}` } });
    expect([reply.status, reply.headers.get("www-authenticate")]).toEqual([401, 'Token realm="Restricted"']);
  },
});
