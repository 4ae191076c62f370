import { engineConformance } from "./engines/conformance.ts";

engineConformance("loop", "responses");
