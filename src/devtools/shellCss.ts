/** Of what is there before the panel is loaded: colours, the button, and where the panel stands. */
export const SHELL_CSS = `
:host { all: initial; }
.shell {
  --bg: #ffffff; --bg-2: #f5f6f8; --bg-3: #e9ecf1; --line: #d8dce4; --text: #1a1f2b; --dim: #566074; --accent: #1d5fd6; --on-accent: #ffffff;
  --selected: #e3edff; --focus: #1d5fd6;
  --dispatched: #98a2b5; --acked: #e0a21b; --run: #3b82f6; --asking: #9333ea; --answering: #0ea5b7;
  --good: #157a45; --bad: #c02b2b; --worse: #8f1d5b; --warn: #8a5a00;
  --good-bg: #dff5e8; --bad-bg: #fdecec; --warn-bg: #fdf1d7; --neutral-bg: #e9ecf1;
  --string: #0a6b4d; --number: #7c3aed; --key: #9a3412;
  font: 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--text); color-scheme: light;
  -webkit-text-size-adjust: 100%; text-align: start;
}
.shell.dark {
  --bg: #14171f; --bg-2: #1b1f2a; --bg-3: #262c3a; --line: #323a4b; --text: #e6e9f0; --dim: #9aa5ba; --accent: #7fb0ff; --on-accent: #0c1830;
  --selected: #22345a; --focus: #7fb0ff;
  --dispatched: #7d879b; --acked: #e3b341; --run: #5b9bff; --asking: #b983ff; --answering: #2fc4d6;
  --good: #5bd492; --bad: #ff8080; --worse: #ff8fc4; --warn: #f0c060;
  --good-bg: #14372a; --bad-bg: #43202a; --warn-bg: #3d3113; --neutral-bg: #262c3a;
  --string: #7ee0b5; --number: #c3a4ff; --key: #ffb08a;
  color-scheme: dark;
}
.shell *, .shell *::before { box-sizing: border-box; }
.opener {
  position: fixed; bottom: 14px; right: 14px; z-index: 2147483000; display: inline-flex; align-items: center; gap: 7px; height: 34px; padding: 0 13px 0 11px;
  border: 1px solid var(--line); border-radius: 17px; background: var(--bg); color: var(--text); font: inherit; font-weight: 600; cursor: pointer;
  box-shadow: 0 2px 10px rgb(0 0 0 / .18);
}
.opener.left { right: auto; left: 14px; }
.opener:hover { background: var(--bg-2); }
.opener:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.opener .light { width: 8px; height: 8px; border-radius: 50%; background: var(--dispatched); }
.opener .light.open { background: var(--good); }
.opener .light.failed, .opener .light.reconnecting { background: var(--bad); }
.opener .flight { padding: 0 6px; border-radius: 8px; background: var(--accent); color: var(--on-accent); font-size: 12px; font-variant-numeric: tabular-nums; }
.dock { position: fixed; z-index: 2147483000; background: var(--bg); box-shadow: 0 0 24px rgb(0 0 0 / .22); }
.dock.bottom { left: 0; right: 0; bottom: 0; border-top: 1px solid var(--line); max-height: 92vh; min-height: 160px; }
.dock.right { top: 0; bottom: 0; right: 0; border-left: 1px solid var(--line); max-width: 95vw; min-width: 300px; }
.handle { position: absolute; z-index: 2; touch-action: none; background: transparent; }
.handle:hover, .handle:focus-visible { background: var(--accent); outline: none; opacity: .7; }
.bottom > .handle { left: 0; right: 0; top: -3px; height: 6px; cursor: ns-resize; }
.right > .handle { top: 0; bottom: 0; left: -3px; width: 6px; cursor: ew-resize; }
.inline { height: 100%; min-height: 240px; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--bg); }
.wait { padding: 16px; color: var(--dim); }
@media (max-width: 640px) { .dock.right { left: 0; top: auto; width: auto !important; max-width: none; height: 62vh; border-left: 0; border-top: 1px solid var(--line); } }
@media (max-width: 640px) { .opener { width: 40px; height: 40px; padding: 0; justify-content: center; border-radius: 50%; } .opener > .word { display: none; } .opener > svg { width: 18px; height: 18px; } .opener > .light { position: absolute; top: 1px; right: 1px; width: 10px; height: 10px; border: 2px solid var(--bg); box-sizing: content-box; } .opener > .flight { position: absolute; bottom: -4px; right: -4px; } }
@media (min-width: 640.02px) { .opener > svg { display: none; } }
@media (forced-colors: active) { .opener .light, .opener .flight { forced-color-adjust: none; } }
@media print { .shell { display: none; } }
`
