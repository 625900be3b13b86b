import { App } from "@framework/core";
import { expect, test } from "@jest/globals";
import { hashPassword, JwtAuth, verifyPassword } from "./index.ts";

const fails = (): never => {
  throw new Error("away");
};

test("promises that a handler drops are no unhandled rejections", async () => {
  const stray: unknown[] = [];
  const note = (reason: unknown): void => void stray.push(reason);
  process.on("unhandledRejection", note);
  try {
    const store = { revoke: fails, isRevoked: fails, consume: fails };
    const auth = new JwtAuth({ secret: "0123456789abcdef0123456789abcdef", store });
    await new App().use(auth).start({ log: { info() {}, warn() {}, error() {} } });
    const { refreshToken } = await auth.createTokens({ sub: "ann" });
    const made = [
      () => auth.createToken({ sub: "" }),
      () => auth.createTokens({ sub: "" }),
      () => auth.refreshToken("forged"),
      () => auth.refreshToken(refreshToken),
      () => auth.revokeToken("a"),
      () => auth.isRevoked("a"),
      () => hashPassword("a\0"),
      () => verifyPassword("a", "no hash"),
    ];
    for (const make of made) {
      void make();
      await expect(make()).rejects.toMatchObject({ message: expect.any(String) });
    }
    await new Promise((resolve) => setImmediate(resolve)); // Node reports rejections once a turn is over
    expect(stray).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});
