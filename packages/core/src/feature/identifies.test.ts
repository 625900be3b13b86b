import { expect, test } from "@jest/globals";
import { App, Not, Or } from "../index.ts";
import type { Feature } from "../feature.ts";

interface Badges {
  enableBadges(): this;
}
const badges: Feature<Badges> = {
  name: "badges",
  install: (host) => ({
    enableBadges() {
      host.http.identifies(() => ({
        schemes: { badge: { type: "apiKey", in: "cookie", name: "badge" } },
        skips: (path) => path === "/skipped",
      }));
      return this;
    },
  }),
};

/** Identifies callers by another cookie, and gives the scheme the same name. */
const otherBadges: Feature<object> = {
  name: "other-badges",
  install: (host) => {
    host.http.identifies(() => ({
      schemes: { badge: { type: "apiKey", in: "cookie", name: "other" } },
      skips: () => false,
    }));
    return {};
  },
};

const member = { readsCaller: true, check: () => true };

test("a route whose guards read the caller lists the schemes by which features identify callers", () => {
  const app = new (App.with(badges))().enableBadges();
  app.get("/member", { guards: [member] }, () => 1);
  app.get("/either", { guards: [Or(() => false, member)] }, () => 1);
  app.get("/negated", { guards: [Not(member)] }, () => 1);
  app.get("/anonymous", { guards: [Not({ ...member, passesAnonymousWhenNegated: true })] }, () => 1);
  app.get("/skipped", { guards: [member] }, () => 1);
  app.get("/guarded", { guards: [() => true] }, () => 1);
  app.get("/open", () => 1);
  const schemes = app.routes.map(({ path, auth }) => [path, auth.flatMap((one) => Object.keys(one.schemes))]);
  expect(schemes).toEqual([
    ["/member", ["badge"]],
    ["/either", ["badge"]],
    ["/negated", ["badge"]],
    ["/anonymous", []],
    ["/skipped", []],
    ["/guarded", []],
    ["/open", []],
  ]);
});

test("schemes of two features with the same name are both listed", () => {
  const app = new (App.with(badges, otherBadges))().enableBadges();
  app.get("/member", { guards: [member] }, () => 1);
  expect(app.routes[0]?.auth[0]?.schemes).toEqual({
    badge: { type: "apiKey", in: "cookie", name: "other" },
    badge2: { type: "apiKey", in: "cookie", name: "badge" },
  });
});
