// A scene that is played with while it runs: grabbed, poked, pinned, touched with a probe, tuned.
//
// All that changes it besides its steps are commands (live_command.h). The same commands before the same
// steps give the same world, so a recording that has both can be run again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <palpate/scene/live_command.h>
#include <palpate/scene/scene.h>
#include <palpate/world/world.h>

namespace palpate {

inline constexpr std::string_view probe_name = "probe";  // of the body, if there is one

class LiveWorld {
 public:
  // `name` stands for the file in messages.
  explicit LiveWorld(Scene scene, std::string name = "scene");
  ~LiveWorld();

  World& world() { return *world_; }
  const World& world() const { return *world_; }
  const Scene& scene() const { return scene_; }  // with what was set

  // Rigid bodies that turn about a point, and where it is.
  struct Pin {
    std::string body;
    Vec3 at;
  };
  std::vector<Pin> pins() const;

  const StepReport& step();
  // Throws Error for what cannot be done, and changes nothing then.
  void perform(const LiveCommand& command);
  void reset();  // as it began, with what was set

 private:
  class ProbeScript;
  struct Grabbed {
    HandId hand;
    LiveCommand command;  // that it began with
  };
  struct Pinned {  // a rigid body
    std::string body;
    Vec3 place;
    JointId joint;
  };
  BodyId body_named(const std::string& name) const;
  void grab(const LiveCommand& command);
  void poke(const LiveCommand& command);
  void pin(const LiveCommand& command, bool pinned);
  void pin_rigid(BodyId id, const Vec3& place);
  void probe(const LiveCommand& command);
  void add_probe(const Vec3& at, double radius);
  void unprobe();
  void set(const std::string& change);

  Scene scene_;
  std::string name_, text_;           // of the scene, before anything was set
  std::vector<std::string> changes_;  // what was set, "key=value", each key once
  std::unique_ptr<World> world_;
  std::map<std::uint32_t, Grabbed> hands_;
  std::vector<Pinned> pins_;
  std::shared_ptr<ProbeScript> probe_;
  double probe_radius_ = 0;
};

}  // namespace palpate
