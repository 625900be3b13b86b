import { FrameworkError } from "@framework/core";
import type { AppLike } from "../app/app-like.ts";

/** Resolves with the app's reply. @throws CLI_BAD_REPLY when it takes too long */
export const answer = async (app: AppLike, request: Request, timeoutSecs: number): Promise<Response> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new FrameworkError("CLI_BAD_REPLY", `no reply within ${timeoutSecs} s`);
  const timer = setTimeout(() => reject(late), timeoutSecs * 1000);
  try {
    return await Promise.race([app.fetch(request), promise]);
  } finally {
    clearTimeout(timer);
  }
};
