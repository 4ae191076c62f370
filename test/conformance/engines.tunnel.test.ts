import { engineConformance } from "./engines/conformance.ts";

engineConformance("tunnel");
