import { join } from "node:path";
import { siteApp } from "./site-app.ts";

await siteApp(join(import.meta.dirname, "../../dist")).run();
