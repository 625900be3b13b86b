import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { clientOf, compileTrustedProxies } from "./client-address.ts";

const client = (
  peer: string | null,
  fields: Readonly<Record<string, string>>,
  trusted: readonly string[] = [],
) => {
  const { proxies, problems } = compileTrustedProxies(trusted);
  expect(problems).toEqual([]);
  const field = (name: string) => fields[name] ?? null;
  return clientOf({ remoteAddress: peer, scheme: "http", authority: "own:80", field }, proxies);
};
const ip = (
  peer: string | null,
  forwardedFor: string,
  trusted: readonly string[] = ["10.0.0.0/8", "fd00::/8"],
) => client(peer, { "x-forwarded-for": forwardedFor }, trusted).clientIp;

const forged = {
  "x-forwarded-for": "203.0.113.9",
  "x-real-ip": "203.0.113.9",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "evil",
  forwarded: "for=203.0.113.9;proto=https;host=evil",
};

test("trusts no peer by default", () => {
  expect(client("127.0.0.1", forged)).toEqual({ clientIp: "127.0.0.1", scheme: "http", host: "own:80" });
});

test("ignores the fields of an untrusted or unknown peer", () => {
  expect(client("192.0.2.1", forged, ["10.0.0.0/8"])).toEqual({
    clientIp: "192.0.2.1",
    scheme: "http",
    host: "own:80",
  });
  expect(client(null, forged, ["0.0.0.0/0", "::/0"])).toEqual({
    clientIp: null,
    scheme: "http",
    host: "own:80",
  });
  expect(client("not an address", forged, ["0.0.0.0/0"]).clientIp).toBeNull();
});

test("trusts the fields of a trusted peer, but never Forwarded", () => {
  expect(client("10.0.0.1", forged, ["10.0.0.1"])).toEqual({
    clientIp: "203.0.113.9",
    scheme: "https",
    host: "evil",
  });
  expect(client("10.0.0.1", { forwarded: forged.forwarded }, ["10.0.0.1"])).toEqual({
    clientIp: "10.0.0.1",
    scheme: "http",
    host: "own:80",
  });
});

test.each([
  ["direct", "10.0.0.1", "", "10.0.0.1"],
  ["one hop", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["two hops", "10.0.0.1", "203.0.113.9, 10.0.0.2", "203.0.113.9"],
  ["forged at the start", "10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"],
  ["forged as a proxy", "10.0.0.1", "10.9.9.9, 203.0.113.9", "203.0.113.9"],
  ["every hop trusted", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["malformed at the start", "10.0.0.1", "unknown, 203.0.113.9", "203.0.113.9"],
  ["malformed at the end", "10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"],
  ["malformed after a trusted hop", "10.0.0.1", "203.0.113.9, 010.0.0.3, 10.0.0.2", "10.0.0.2"],
  ["an empty hop", "10.0.0.1", "203.0.113.9, , 10.0.0.2", "10.0.0.2"],
  ["blanks and tabs", "10.0.0.1", "\t203.0.113.9 ,10.0.0.2", "203.0.113.9"],
  ["a port", "10.0.0.1", "203.0.113.9:5678", "203.0.113.9"],
  ["a port out of range", "10.0.0.1", "203.0.113.9:65536", "10.0.0.1"],
  ["IPv6", "10.0.0.1", "2001:DB8::0:9", "2001:db8::9"],
  ["IPv6 in brackets", "10.0.0.1", "[2001:db8::9]", "2001:db8::9"],
  ["IPv6 with a port", "10.0.0.1", "[2001:db8::9]:443", "2001:db8::9"],
  ["IPv4 in brackets", "10.0.0.1", "[203.0.113.9]", "10.0.0.1"],
  ["a zone", "10.0.0.1", "fe80::9%eth0", "fe80::9"],
  ["a mapped hop", "10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
  ["a mapped trusted hop", "10.0.0.1", "203.0.113.9, ::ffff:10.0.0.2", "203.0.113.9"],
  ["a mapped peer", "::ffff:10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["a mapped peer in hex", "::ffff:a00:1", "203.0.113.9", "203.0.113.9"],
  ["a peer with a zone", "fd00::1%eth0", "203.0.113.9", "203.0.113.9"],
  ["a mapped untrusted peer", "::ffff:192.0.2.1", "203.0.113.9", "192.0.2.1"],
  ["host name", "10.0.0.1", "localhost", "10.0.0.1"],
  ["quotes", "10.0.0.1", '"203.0.113.9"', "10.0.0.1"],
])("%s: peer %s, X-Forwarded-For %j gives %s", (_, peer, forwardedFor, expected) => {
  expect(ip(peer, forwardedFor)).toBe(expected);
});

test.each([
  [{ "x-real-ip": "203.0.113.9" }, "203.0.113.9"],
  [{ "x-real-ip": " [2001:db8::9]:1 " }, "2001:db8::9"],
  [{ "x-real-ip": "1.1.1.1, 2.2.2.2" }, "10.0.0.1"],
  [{ "x-real-ip": "unknown" }, "10.0.0.1"],
  [{ "x-forwarded-for": " ", "x-real-ip": "203.0.113.9" }, "203.0.113.9"],
  [{ "x-forwarded-for": "203.0.113.8", "x-real-ip": "203.0.113.9" }, "203.0.113.8"],
  [{ "x-forwarded-for": "unknown", "x-real-ip": "203.0.113.9" }, "10.0.0.1"],
])("reads X-Real-IP only if X-Forwarded-For is absent or blank: %j", (fields, expected) => {
  expect(client("10.0.0.1", fields, ["10.0.0.1"]).clientIp).toBe(expected);
});

test.each([
  ["203.0.113.9", "https", "https"],
  ["203.0.113.9", "HTTPS", "https"],
  ["203.0.113.9", "https, http", "http"],
  ["203.0.113.9, 10.0.0.2", "https, http", "https"],
  ["203.0.113.9, 10.0.0.2", "http, https, http", "https"],
  ["203.0.113.9, 10.0.0.2", "https", "https"],
  ["203.0.113.9", "wss", "https"],
  ["203.0.113.9", "WSS", "https"],
  ["203.0.113.9", "wss, ws", "http"],
  ["203.0.113.9", "wsss", "http"],
  ["203.0.113.9", "https,", "http"],
])("X-Forwarded-For %j with X-Forwarded-Proto %j gives %s", (forwardedFor, proto, expected) => {
  const fields = { "x-forwarded-for": forwardedFor, "x-forwarded-proto": proto };
  expect(client("10.0.0.1", fields, ["10.0.0.0/8"]).scheme).toBe(expected);
});

test.each([
  ["shop.example", "shop.example"],
  ["shop.example:8443", "shop.example:8443"],
  ["[2001:db8::1]:80", "[2001:db8::1]:80"],
  ["evil, shop.example", "shop.example"],
  ["", "own:80"],
  ["a b", "own:80"],
  ["user@shop", "own:80"],
  ["shop/path", "own:80"],
  ["shop:port", "own:80"],
  ["256.1.1.1", "own:80"],
  ["shop:65536", "own:80"],
  ["shop\r\nx: y", "own:80"],
  ["a".repeat(262), "own:80"],
])("X-Forwarded-Host %j gives %s", (forwardedHost, expected) => {
  expect(client("10.0.0.1", { "x-forwarded-host": forwardedHost }, ["10.0.0.1"]).host).toBe(expected);
});

test("compares prefixes bit by bit, and address families separately", () => {
  const trusts = (entry: string, address: string) => ip(address, "203.0.113.9", [entry]) === "203.0.113.9";
  expect(trusts("10.1.2.0/23", "10.1.3.255")).toBe(true);
  expect(trusts("10.1.2.0/23", "10.1.4.0")).toBe(false);
  expect(trusts("10.1.3.7/23", "10.1.2.1")).toBe(true);
  expect(trusts("0.0.0.0/0", "192.0.2.1")).toBe(true);
  expect(trusts("0.0.0.0/0", "2001:db8::1")).toBe(false);
  expect(trusts("::/0", "192.0.2.1")).toBe(false);
  expect(trusts("::/0", "2001:db8::1")).toBe(true);
  expect(trusts("2001:db8::/33", "2001:db8:7fff::1")).toBe(true);
  expect(trusts("2001:db8::/33", "2001:db8:8000::1")).toBe(false);
  expect(trusts("::ffff:10.0.0.0/104", "10.255.0.1")).toBe(true);
  expect(trusts("::ffff:10.0.0.0/104", "11.0.0.1")).toBe(false);
  expect(trusts("fe80::1%eth0", "fe80::1%eth1")).toBe(true);
});

test("a block contains exactly the addresses that share its prefix", () => {
  const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
  const number = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  fc.assert(
    fc.property(
      octets,
      octets,
      fc.integer({ min: 0, max: 32 }),
      fc.integer({ min: 0, max: 32 }),
      (network, other, bits, shared) => {
        const mask = (1n << BigInt(32 - shared)) - 1n;
        const mixed = (number(network) & ~mask) | (number(other) & mask);
        const peer = [24n, 16n, 8n, 0n].map((shift) => Number((mixed >> shift) & 255n));
        const inside = number(network) >> BigInt(32 - bits) === mixed >> BigInt(32 - bits);
        const address = ip(peer.join("."), "2001:db8::9", [`${network.join(".")}/${bits}`]);
        expect(address).toBe(inside ? "2001:db8::9" : peer.join("."));
      },
    ),
  );
});

test("reports every entry that is neither an address nor a block, and keeps the valid ones", () => {
  const bad = [
    "localhost",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0/8",
    "::/129",
    "::ffff:10.0.0.0/95",
    "",
    "*",
    "10.0.0.0/8/8",
  ];
  const { proxies, problems } = compileTrustedProxies(["10.0.0.1", ...bad, "fd00::/8"]);
  expect(problems).toEqual(
    bad.map((entry) => `trustedProxies: ${JSON.stringify(entry)} is neither an address nor a CIDR block`),
  );
  expect(proxies.networks).toHaveLength(2);
});

test("reads a long malformed address in linear time", () => {
  const before = process.cpuUsage();
  expect(ip("10.0.0.1", `[${":".repeat(200_000)}[`)).toBe("10.0.0.1");
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000); // quadratic time takes a minute
});
