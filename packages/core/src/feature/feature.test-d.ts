import { App, type HttpRequest } from "../index.ts";
import type { Feature } from "../feature.ts";

interface Speaking {
  enableSpeaking(config?: { readonly volume?: number }): this;
}
const speaking: Feature<Speaking> = {
  name: "speaking",
  install: (host) => ({
    enableSpeaking() {
      host.life.onStart(() => {});
      return this;
    },
  }),
};
interface Singing {
  enableSinging(): this;
}
const singing: Feature<Singing, Speaking> = {
  name: "singing",
  install: (_host, needs) => ({
    enableSinging() {
      needs.enableSpeaking({ volume: 11 });
      return this;
    },
  }),
};

class Choir extends App.with(speaking, singing) {
  declare readonly state: { voices: number };
  ownMethod(): number {
    return this.state.voices;
  }
}
const choir = new Choir();

// A chain keeps the whole type, the subclass's own methods included.
choir
  .enableSpeaking({ volume: 3 })
  .enableSinging()
  .addGuard(() => true)
  .use((request, next) => next(request))
  .ownMethod() satisfies number;

// Handlers see the composed application and its state.
choir.get("/x", (request) => request.app.state.voices satisfies number);
choir.get("/x", (request) => request.app.ownMethod() satisfies number);

// @ts-expect-error a method exists only if its feature was composed
new App().enableSpeaking();

// @ts-expect-error a misspelt option of a feature
choir.enableSpeaking({ volum: 3 });

// @ts-expect-error singing needs speaking
App.with(singing);

// @ts-expect-error a feature must come after the features that it needs
App.with(singing, speaking);

// @ts-expect-error the constructor takes no arguments
new Choir(1);

// The path names the parameters; their values are strings.
const app = new App();
app.get("/books/{id}/pages/{page}", ({ params }) => [
  params.id satisfies string,
  params.page satisfies string,
]);
app.get("/files/{*rest}", ({ params }) => params.rest satisfies string);

// @ts-expect-error no such parameter
app.get("/books/{id}", ({ params }) => params.name);

// @ts-expect-error route methods return nothing, so that routes never grow the app's type
app.get("/x", () => null).get("/y", () => null);

// @ts-expect-error a misspelt option
app.get("/x", { tag: ["books"] }, () => null);

// @ts-expect-error no such event
app.onEvent("statup", () => {});

// @ts-expect-error methods are a closed list
app.route("/x", { methods: ["FETCH"] }, () => null);

// A handler can be written separately from its route.
const show = (request: HttpRequest<{ readonly id: string }>): string => request.params.id;
app.get("/books/{id}", show);

// A handler may annotate its request; the annotation does not change the path's parameters.
app.get("/e", (request: HttpRequest) => request.path);
app.route("/e", { methods: ["GET", "POST"] }, (request: HttpRequest) => request.path);

// @ts-expect-error the path has no such parameter
app.get("/e", show);

// A composed class keeps its constructor's arguments and its static members.
class Hired extends App.with(speaking) {
  readonly by: { readonly name: string };
  constructor(by: { readonly name: string }) {
    super();
    this.by = by;
  }
  static forFree(): Hired {
    return new this({ name: "nobody" });
  }
}
class Band extends Hired.with(singing) {}
new Band({ name: "Ada" })
  .enableSinging()
  .get("/by", (request) => request.app.enableSpeaking().by.name satisfies string);
Band.forFree().by.name satisfies string;

// @ts-expect-error the constructor needs an argument
new Band();
// @ts-expect-error the argument has another type
new Band("Ada");
