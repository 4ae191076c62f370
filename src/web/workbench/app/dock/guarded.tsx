import { Component, type ReactNode } from "react";
import { Trouble } from "../../../ui/states.tsx";

interface GuardedProps {
  readonly title: string;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

/** What breaks inside does not take the page with it. */
export class Guarded extends Component<GuardedProps, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error: error ?? new Error("it stopped without a reason") };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="h-full overflow-auto p-3">
        <Trouble title={this.props.title} error={wrapped(this.state.error)} onRetry={this.props.onRetry} />
      </div>
    );
  }
}

/** A TypeError here is a fault of the viewer, not of the network. */
function wrapped(error: unknown): Error {
  return new Error(error instanceof Error ? error.message : String(error));
}
