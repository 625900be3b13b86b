import { expect, test } from "@jest/globals";
import { open, serve } from "./http-service.test-kit.ts";

test("follows redirects to allowed hosts, without credentials to another origin", async () => {
  await using other = await serve((_, response) => response.end("there"));
  await using server = await serve((request, response) => {
    if (request.url === "/here") return void response.end("here");
    response.writeHead(302, { location: request.url === "/own" ? "/here" : `${other.url}/x` }).end();
  });
  const fields = {
    authorization: "Bearer s",
    cookie: "a=b",
    "x-api-key": "s",
    "x-key": "s",
    "idempotency-key": "k",
    accept: "text/plain",
  };
  await using http = open(server.url, {
    headers: { "x-api-key": "s" },
    credentialHeaders: ["X-Key"],
    allowedHosts: [server.host, other.host],
  });
  expect(await (await http.request("/own", { headers: fields })).text()).toBe("here");
  expect(server.seen[1]?.headers).toMatchObject(fields);
  expect(await (await http.request("/away", { headers: fields })).text()).toBe("there");
  const received = other.seen[0]?.headers ?? {};
  expect(
    Object.keys(received).filter((name) =>
      ["authorization", "cookie", "x-api-key", "x-key", "idempotency-key"].includes(name),
    ),
  ).toEqual([]);
  expect(received.accept).toBe("text/plain");
  await using strict = open(server.url);
  await expect(strict.request("/away")).rejects.toMatchObject({ code: "CLIENT_HOST_REFUSED" });
  expect(other.seen).toHaveLength(1);
});

test("a redirect to another origin has the Host of that origin", async () => {
  await using other = await serve((_, response) => response.end());
  await using server = await serve((_, response) => response.writeHead(302, { location: other.url }).end());
  await using http = open(server.url, { allowedHosts: [server.host, other.host] });
  await (await http.request("/", { headers: { host: "shop.example" } })).text();
  expect(server.seen[0]?.headers.host).toBe("shop.example");
  expect(other.seen[0]?.headers.host).toBe(other.host);
});

test.each([
  [301, "POST", "GET", ""],
  [303, "PUT", "GET", ""],
  [302, "PUT", "PUT", "body"],
  [307, "POST", "POST", "body"],
  [308, "POST", "POST", "body"],
])("after a redirect with %d, %s becomes %s", async (status, method, expected, text) => {
  await using server = await serve((request, response) => {
    if (request.url === "/")
      return void request.resume().on("end", () => response.writeHead(status, { location: "/x" }).end());
    let body = "";
    request
      .on("data", (part: Buffer) => (body += part.toString()))
      .on("end", () => response.end(`${request.method} ${body}`));
  });
  await using http = open(server.url);
  expect(await (await http.request("/", { method, body: "body" })).text()).toBe(`${expected} ${text}`);
});

test("ends a redirect loop, and returns the redirect for maxRedirects 0", async () => {
  await using server = await serve((_, response) => response.writeHead(302, { location: "/" }).end());
  await using http = open(server.url);
  await expect(http.request("/")).rejects.toMatchObject({ code: "CLIENT_TOO_MANY_REDIRECTS" });
  expect(server.seen).toHaveLength(6);
  await using plain = open(server.url, { maxRedirects: 0 });
  expect((await plain.request("/")).status).toBe(302);
});

test.each([
  ["http://127.0.0.1:1/", "CLIENT_HOST_REFUSED"],
  ["https://elsewhere.example/", "CLIENT_HOST_REFUSED"],
  ["//elsewhere.example", "//elsewhere.example"], // a path of the base URL
  ["relative", "CLIENT_BAD_URL"],
  ["ftp://a/", "CLIENT_BAD_URL"],
])("the outcome of the target %s is %s", async (target, expected) => {
  await using server = await serve((request, response) => response.end(request.url));
  await using http = open(server.url);
  const outcome = await http.request(target).then(
    (reply) => reply.text(),
    (error: { code: string }) => error.code,
  );
  expect(outcome).toBe(expected);
});

test.each([
  "localhost",
  "127.0.0.1",
  "[::1]",
  "0.0.0.0",
  "[::ffff:127.0.0.1]",
  "2130706433",
  "192.88.99.1", // 6to4 relays (RFC 7526)
  "[3fff:fff::1]", // documentation (RFC 9637)
])("publicAddressesOnly refuses %s", async (host) => {
  await using server = await serve((_, response) => response.end());
  await using http = open(`http://${host}:${new URL(server.url).port}`, { publicAddressesOnly: true });
  const error = await http.request("/").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "CLIENT_HOST_REFUSED" });
  expect(server.seen).toEqual([]);
});

test("follows a Location with unencoded UTF-8", async () => {
  await using server = await serve((request, response) => {
    if (request.url !== "/") return void response.end(request.url);
    request.socket.end(
      "HTTP/1.1 302 Found\r\nLocation: /b\u00fccher/\u{1f600}?q=\u20ac\r\nContent-Length: 0\r\n\r\n",
    );
  });
  await using http = open(server.url);
  expect(await (await http.request("/")).text()).toBe("/b%C3%BCcher/%F0%9F%98%80?q=%E2%82%AC");
});
