import { createProtectedApp } from "../protected-app.ts";

/** The service as `pnpm --filter @framework/books client` reads its document. */
export const app = createProtectedApp();
