import { fieldsOfRoute } from "./fields.ts";

/**
 * Names of fields inside the top-level ones, for all routes together. Their contents are judged by the `type` of the
 * object (parts.ts). A name that is not listed may refer to text that only the provider has.
 */
const NESTED_NAMES = `
  acknowledged_safety_checks action actions active allow_fallbacks allowed_callers allowed_domains allowed_tools
  always annotations approval_request_id approve approximate arguments async attributes audio authorization
  authorization_token background block_binding blocked_domains budget_tokens button bytes cache_control
  cache_write_tokens caching call_id caller caller_id categories citations cited_text city clear_at clear_at_least
  clear_tool_inputs client_tool_results close_tab code command commands compact_threshold comparison_response_id
  complexity configs connector_id container container_id content context context_compression country
  cursor_position custom cyber data data_collection default_config defer_loading definition description detail diff
  disable_parallel_tool_use display display_height display_height_px display_number display_width display_width_px
  document_index document_title domain domain_secrets double_click download_id eager_input_streaming edits effort
  embedding_weight enable_zoom enabled encrypted_content encrypted_index encrypted_stdout end_block_index
  end_char_index end_index end_page_number engine env environment error error_code error_message exclude
  exclude_tools execution exit_code external_web_access extra_content file file_data file_id file_ids file_type
  file_upload file_url filename filters find fingerprint form_input format frame_count frame_duration_ms from
  function function_call generate_summary get_page_text google grammar headers hold_key hover hybrid_search id
  ignore image_url include include_obfuscation include_usage index input input_audio input_examples input_fidelity
  input_image_mask input_schema input_tokens input_video instructions is_error is_file_update javascript_exec
  json_schema keep key keys left_click left_click_drag left_mouse_down left_mouse_up lines list_tabs logprob
  logprobs logs max_characters max_content_tokens max_num_results max_output_length max_price max_results
  max_tokens max_uses mcp_server_name media_type memory_limit message middle_click mode model moderation
  moderation_details moderation_stage mouse_move name namespace native_finish_reason navigate network_policy never
  new_lines new_start new_tab num_lines old_lines old_start only operation order outcome output output_compression
  output_config output_format output_schema output_tokens outputs oversized_image page_age param parameters partial
  partial_images path pattern pause_after_compaction pending_safety_checks phase policy prefix
  prefix_mismatch_behavior previous_message_id prewarm prompt_cache_breakpoint properties quality quantizations
  queries query ranker ranking_options read_console read_network read_only read_page reason reasoning
  reasoning_content reasoning_details reasoning_effort reasoning_tokens refusal region remaining require_approval
  require_parameters required response_inclusion result results retrieved_at return_code revised_prompt right_click
  role schema score score_threshold screenshot scroll scroll_to scroll_x scroll_y search_content_types
  search_context_size search_prompt search_result_index server_description server_label server_name
  server_tool_results server_url signature size size_bytes skill_id skills sort source sources speed
  start_block_index start_char_index start_index start_line start_page_number state_changes status stderr stdout
  stop_reason strict summary svg svg_usage switch_tab syntax tab_id tabs task_budget text text_weight thinking
  thoughtSignature thought_signature timeout_ms timezone title to token tool tool_call_id tool_calls tool_changes
  tool_configuration tool_id tool_name tool_names tool_references tool_use_id tools toolset_name top_logprobs total
  total_lines total_tokens transformations trigger triple_click ttl tunnel_id type url url_sources use_cache user
  user_id user_input user_location value variables vector_store_ids verbosity version video_url voice wait
  web_search working_directory x y zdr zoom
`;

const KNOWN: ReadonlySet<string> = new Set(NESTED_NAMES.trim().split(/\s+/));

export function isKnownName(name: string): boolean {
  return KNOWN.has(name);
}

/** One spelling for all names that a lenient reader could confuse: other case, wide letters, spaces, hyphens. */
function canonical(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [
    ...KNOWN,
    ...fieldsOfRoute("messages").keys(),
    ...fieldsOfRoute("responses").keys(),
    ...fieldsOfRoute("chat").keys(),
    ...fieldsOfRoute("embeddings").keys(),
  ].map((name) => [canonical(name), name]),
);

/** The known name that an unknown one could be read as; undefined: none. */
export function lookalikeOf(name: string): string | undefined {
  return SPELLINGS.get(canonical(name));
}
