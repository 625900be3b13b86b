import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { hashPassword, JwtAuth, JwtClaims, RoleGuard, User, verifyPassword } from "./index.ts";

const log = { info() {}, warn() {}, error() {} };

const fails = (): never => {
  throw new Error("away");
};

/** Returns the reasons of unhandled rejections during a run. */
const unhandledDuring = async (run: () => Promise<void>): Promise<unknown[]> => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  try {
    await run();
    await new Promise((resolve) => setImmediate(resolve)); // Node reports unhandled rejections after the microtask queue is empty
    return unhandled;
  } finally {
    process.off("unhandledRejection", note);
  }
};

test("a promise of JwtAuth or of a password function that is not awaited causes no unhandled rejection", async () => {
  const unhandled = await unhandledDuring(async () => {
    const store = { revoke: fails, isRevoked: fails, consume: fails };
    const auth = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef", store });
    await new App().use(auth).start({ log });
    const { refreshToken } = await auth.createTokens({ sub: "ann" });
    const calls = [
      () => auth.createToken({ sub: "" }),
      () => auth.createTokens({ sub: "" }),
      () => auth.refreshToken("forged"),
      () => auth.refreshToken(refreshToken),
      () => auth.revokeToken("a"),
      () => auth.isRevoked("a"),
      () => hashPassword("a\0"),
      () => verifyPassword("a", "no hash"),
    ];
    for (const call of calls) {
      void call();
      await expect(call()).rejects.toMatchObject({ message: expect.any(String) });
    }
  });
  expect(unhandled).toEqual([]);
});

test("a RoleGuard whose `resolve` option rejects for one identity and throws for the next causes no unhandled rejection", async () => {
  const resolve = (identity: unknown): Promise<string[]> =>
    typeof identity === "string" ? Promise.reject(new Error("away")) : fails();
  const app = new App().use((request, next) => {
    request.context.set(User, "ann").set(JwtClaims, { sub: "ann", exp: 1 });
    return next(request);
  });
  app.get("/", { guards: [new RoleGuard("admin", { resolve })] }, () => "secret");
  await app.start({ log });
  const unhandled = await unhandledDuring(async () => {
    const { status } = await app.fetch(new Request("http://localhost/"));
    expect(status).toBe(403);
  });
  expect(unhandled).toEqual([]);
});
