import polka from "polka";

polka()
  .get("/", (_request, response) => response.end("hello"))
  .listen(0, "127.0.0.1", () => console.log("ready"));
