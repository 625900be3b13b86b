import { Router } from "@koa/router";
import Koa from "koa";

const router = new Router();
router.get("/", (context) => {
  context.body = "hello";
});
new Koa().use(router.routes()).listen(0, "127.0.0.1", () => console.log("ready"));
