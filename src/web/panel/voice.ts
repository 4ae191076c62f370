import { mark, t } from "./language.ts";

/** What is used of the browser's speech recognition. */
interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  start(): void;
  abort(): void;
  addEventListener(type: "result" | "error" | "end", listener: (event: RecognitionEvent) => void): void;
}
interface RecognitionEvent {
  readonly error?: string;
  readonly results?: ArrayLike<ArrayLike<{ readonly transcript: string }>>;
}
export type RecognitionConstructor = new () => Recognition;

/** Undefined: this browser has none. */
export function recognizer(): RecognitionConstructor | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as {
    readonly SpeechRecognition?: RecognitionConstructor;
    readonly webkitSpeechRecognition?: RecognitionConstructor;
  };
  return SpeechRecognition ?? webkitSpeechRecognition;
}

const TROUBLES: Readonly<Record<string, string | undefined>> = {
  "no-speech": mark("Nothing was heard. Try again, nearer to the microphone."),
  "audio-capture": mark("No microphone was found. Connect one, then try again."),
  "not-allowed": mark("The microphone may not be used. Allow it in the browser's settings of this page."),
  "service-not-allowed": mark("The microphone may not be used. Allow it in the browser's settings of this page."),
  network: mark("The browser's speech service cannot be reached. Check your network, or write instead."),
  "language-not-supported": mark("The browser's speech service does not know this language. Write instead."),
  aborted: undefined,
};

/** One utterance at a time, as text. */
export class Voice {
  readonly #Recognition: RecognitionConstructor;
  readonly #events: {
    readonly heard: (text: string) => void;
    readonly trouble: (words: string) => void;
    readonly listening: (listens: boolean) => void;
  };
  #current: Recognition | undefined;

  constructor(
    Recognition: RecognitionConstructor,
    events: {
      readonly heard: (text: string) => void;
      readonly trouble: (words: string) => void;
      readonly listening: (listens: boolean) => void;
    },
  ) {
    this.#Recognition = Recognition;
    this.#events = events;
  }

  toggle(): void {
    if (this.#current === undefined) this.#start();
    else this.stop();
  }

  stop(): void {
    this.#current?.abort();
  }

  #start(): void {
    const recognition = new this.#Recognition();
    recognition.lang = document.documentElement.lang || "en-US";
    recognition.continuous = false;
    recognition.interimResults = false;
    recognition.addEventListener("result", ({ results }) => {
      const text = results?.[0]?.[0]?.transcript ?? "";
      if (text !== "") this.#events.heard(text);
    });
    recognition.addEventListener("error", ({ error = "" }) => {
      const words = error in TROUBLES ? TROUBLES[error] : mark("Speech did not work. Write instead.");
      if (words !== undefined) this.#events.trouble(t(words));
    });
    recognition.addEventListener("end", () => {
      this.#current = undefined;
      this.#events.listening(false);
    });
    this.#current = recognition;
    this.#events.listening(true);
    recognition.start();
  }
}
