#pragma once

#include "http/transport/request_context.hpp"

namespace callboard::http {

// Who brings work
task<response> enqueue_work(request_context& x);

// Who does it
task<response> claim_work(request_context& x);
task<response> beat_work(request_context& x);
task<response> complete_work(request_context& x);
task<response> complete_many(request_context& x);
task<response> fail_work(request_context& x);
task<response> release_work(request_context& x);

// Who watches over it
task<response> cancel_work(request_context& x);
task<response> cancel_many(request_context& x);
task<response> show_work(request_context& x);
task<response> list_work(request_context& x);
task<response> explain_work(request_context& x);
task<response> show_work_stats(request_context& x);
task<response> list_dead(request_context& x);
task<response> redrive_dead(request_context& x);
task<response> list_queues(request_context& x);
task<response> show_queue_settings(request_context& x);
task<response> change_queue(request_context& x);
task<response> pause_queue(request_context& x);
task<response> resume_queue(request_context& x);

}  // namespace callboard::http
