import { createProtectedApp } from "../protected-app.ts";

/** The app whose OpenAPI document `pnpm --filter @framework/books client` reads. */
export const app = createProtectedApp();
