import { expect, test } from "@jest/globals";
import { type BannerFacts, listeningLine, terminalBanner } from "./banner.ts";
import { resolveSettings } from "../settings/settings.ts";

const facts = (more: Partial<BannerFacts["report"]> = {}): BannerFacts => ({
  url: "http://127.0.0.1:9000",
  listeners: [],
  settings: resolveSettings({ host: "0.0.0.0" }, { flags: { port: 9000 }, environment: {}, cpus: 2 })
    .settings,
  report: {
    routes: 5,
    features: ["cors", "logging"],
    warnings: [],
    links: [],
    needsReadinessDelay: false,
    ...more,
  },
  version: "1.2.3",
  nodeVersion: "v24.1.0",
  pid: 42,
  readyMs: 41.4,
});

test("without a terminal, it is one JSON line with exactly event, url, workers and pid", () => {
  const line = listeningLine({ url: "http://127.0.0.1:9000", workers: 1, pid: 42, listeners: [] });
  expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(JSON.parse(line)).toEqual({ event: "listening", url: "http://127.0.0.1:9000", workers: 1, pid: 42 });
});

test("on a terminal it shows version, time, address, routes, Node, workers, environment and enabled features", () => {
  const text = terminalBanner(facts());
  expect(text).toContain("framework 1.2.3  ready in 41 ms");
  expect(text).toContain("http://127.0.0.1:9000  5 routes");
  expect(text).toContain("node 24.1.0, 1 worker, development, pid 42");
  expect(text).toContain("on        cors, logging");
});

test("shows the source of each setting", () => {
  const text = terminalBanner(facts());
  expect(text).toContain(
    "host 0.0.0.0 (run), port 9000 (flag), env development (default), debug true (default), workers 1 (default), reload false (default), logs true (default)",
  );
});

test("shows warnings of the settings and of the app with their codes", () => {
  const text = terminalBanner(
    facts({ warnings: [{ code: "AUTH_SHORT_SECRET", message: "12 bytes\u001b[2J" }] }),
  );
  expect(text).toContain("! CORE_DEBUG_EXPOSED: ");
  expect(text).toContain("! AUTH_SHORT_SECRET: 12 bytes\\u001b[2J\n");
});

test("shows pages and features only if there are any", () => {
  expect(terminalBanner(facts({ links: [{ name: "docs", path: "/docs" }] }))).toContain(
    "docs      http://127.0.0.1:9000/docs",
  );
  const bare = terminalBanner(facts({ features: [], routes: 1 }));
  expect(bare).not.toContain("docs ");
  expect(bare).not.toMatch(/\n {2}on /);
  expect(bare).toContain("1 route\n");
});

test("shows the pages of a service that listens on an IPv6 address with a zone", () => {
  const url = "http://[fe80::1%25eth0]:9000";
  const text = terminalBanner({ ...facts({ links: [{ name: "docs", path: "/docs" }] }), url });
  expect(text).toContain("docs      http://[fe80::1%25eth0]:9000/docs\n");
});

test("shows the ports of features; the JSON line has them only if there are any", () => {
  const listeners = [{ name: "admin", host: "127.0.0.1", port: 9001 }];
  expect(terminalBanner({ ...facts(), listeners })).toContain("  admin     127.0.0.1 port 9001\n");
  const line = listeningLine({ url: "http://127.0.0.1:9000", workers: 1, pid: 42, listeners });
  expect(JSON.parse(line)).toMatchObject({ listeners });
});
