export * from "./middleware.ts";
